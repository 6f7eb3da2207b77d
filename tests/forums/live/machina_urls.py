"""The addresses of machina below a path of its own, and a login page, which it has none of."""

from django.contrib.auth.views import LoginView
from django.urls import include, path

urlpatterns = [
    path("cuenta/entrar/", LoginView.as_view(), name="login"),
    path("foro/", include("machina.urls")),
]
