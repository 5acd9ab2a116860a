{% if options.front == "nginx" %}
listen "{{ sockets.app }}", backlog: {{ options.backlog }}
{% else %}
listen "{{ host }}:{{ ports.http }}", backlog: {{ options.backlog }}
{% endif %}
worker_processes {{ workers }}
preload_app {{ "true" if options.preload else "false" }}
