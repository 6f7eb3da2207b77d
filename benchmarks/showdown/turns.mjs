// Turns per second of the pokemon-showdown simulator, the yardstick of benchmarks/rounds.py.
//
// Only the simulator's own work is timed: `choose` for both sides, which plays the turn, and the
// turn's log joined to text. Making teams, building the battle and picking the random choices
// (by the simulator's own RandomPlayerAI) stay outside, as making declarations stays outside on
// our side. The engine is warm before the clock starts.
//
// Reads lines `FORMAT SECONDS` and answers each with a line of JSON, so that whoever asks can
// measure in turns with something else while the engine stays warm.

import {createRequire} from 'node:module';
import {performance} from 'node:perf_hooks';
import {createInterface} from 'node:readline';

const require = createRequire(import.meta.url);
const {Battle, PRNG, Teams} = require('pokemon-showdown');
const {RandomPlayerAI} = require('pokemon-showdown/dist/sim/tools/random-player-ai.js');

const LONGEST_BATTLE_TURNS = 1000;
const TEAMS = 40;

/** The simulator's random player, asked directly instead of over a stream. */
class Chooser extends RandomPlayerAI {
	pick(request) {
		this.picked = '';
		this.receiveRequest(request);
		return this.picked;
	}
	choose(choice) {
		this.picked = choice;
	}
}

/** Plays one battle; adds its turns and its timed seconds to `sum`. */
function play(format, seed, teams, sum) {
	const players = teams.map((team, i) => ({name: `Player ${i + 1}`, team}));
	const battle = new Battle({formatid: format, seed, p1: players[0], p2: players[1]});
	const choosers = [1, 2].map(n => new Chooser(null, {seed: [n, ...seed.slice(1)], move: 0.9}));
	let logged = battle.log.length;
	const firstTurn = battle.turn;
	while (!battle.ended && battle.turn < LONGEST_BATTLE_TURNS) {
		const picks = battle.sides.map((side, i) =>
			side.activeRequest && !side.activeRequest.wait ? choosers[i].pick(side.activeRequest) : '');
		const started = performance.now();
		for (const [i, side] of battle.sides.entries()) {
			// The random player knows nothing of some targets in doubles: then the first legal choice.
			if (picks[i] && !battle.choose(side.id, picks[i])) battle.choose(side.id, 'default');
		}
		sum.logBytes += battle.log.slice(logged).join('\n').length;
		sum.seconds += (performance.now() - started) / 1000;
		logged = battle.log.length;
	}
	sum.turns += battle.turn - firstTurn;
	sum.battles++;
	const active = battle.sides.reduce((n, side) => n + side.active.length, 0);
	battle.destroy();
	return active;
}

/** Teams of a format; triples have none of their own, those made for doubles play them. */
function teamsOf(format) {
	const source = format.includes('random') ? format : 'gen9randomdoublesbattle';
	return Array.from({length: TEAMS}, (_, i) =>
		Teams.generate(source, {seed: PRNG.get([i + 1, 2, 3, 4]).getSeed()}));
}

const known = new Map();

function measure(format, seconds) {
	if (!known.has(format)) known.set(format, {teams: teamsOf(format), game: 0});
	const source = known.get(format);
	const sum = {turns: 0, battles: 0, seconds: 0, logBytes: 0};
	let combatants = 0;
	while (sum.seconds < seconds) {
		const game = ++source.game;
		const teams = [source.teams[game % TEAMS], source.teams[(game * 7 + 3) % TEAMS]];
		combatants = play(format, [game, 5, 6, 7], teams, sum);
	}
	return {format, combatants, ...sum, turns_per_second: sum.turns / sum.seconds};
}

for await (const line of createInterface({input: process.stdin})) {
	const [format, seconds] = line.split(' ');
	console.log(JSON.stringify(measure(format, Number(seconds))));
}
