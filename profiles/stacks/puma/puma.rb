environment "production"
{% if options.front == "nginx" %}
bind "unix://{{ sockets.app }}?backlog={{ options.backlog }}"
{% else %}
bind "tcp://{{ host }}:{{ ports.http }}?backlog={{ options.backlog }}"
{% endif %}
workers {{ workers }}
threads {{ options.threads }}, {{ options.threads }}
preload_app! {{ "true" if options.preload else "false" }}
silence_single_worker_warning
worker_check_interval 1
activate_control_app "unix://{{ sockets.stats }}", { no_token: true }
