"""A small shop, made by a factory."""

import os

from flask import Flask, render_template_string

PAGE = "<h1>Welcome to {{ name }}</h1><ul>{% for item in goods %}<li>{{ item }}</li>{% endfor %}</ul>"


def create_app():
    """The app, under the name that the environment gives it."""
    app = Flask(__name__)

    @app.get("/goods")
    def goods():
        return render_template_string(PAGE, name=os.environ["SHOP_NAME"], goods=["tea", "bread"])

    return app
