"""Where a server finds the project. Which settings it has is left to the environment."""

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()
