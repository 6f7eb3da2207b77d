"""From events to text: the only room that speaks to players. Pure: values in, text out."""
