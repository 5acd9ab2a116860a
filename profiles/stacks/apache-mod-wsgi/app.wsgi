{% set module, _, name = app.entry.partition(":") %}
from {{ module }} import {{ name or "application" }} as application
