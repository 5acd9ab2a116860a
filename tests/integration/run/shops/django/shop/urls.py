"""What the shop shows."""

import os

from django.shortcuts import render
from django.urls import path


def front(request):
    """The front page, which names the settings that it was started with."""
    goods = [("tea", 3), ("bread", 2)]
    return render(request, "front.html", {"goods": goods, "settings": os.environ["DJANGO_SETTINGS_MODULE"]})


urlpatterns = [path("", front)]
