#!/bin/sh
{% if options.protocol == "rack" %}
exec '{{ app.ruby | program }}' '{{ options.root }}/fcgi-bin/RackRunner.rb'
{% else %}
exec '{{ app.ruby | program }}' '{{ app.path }}/{{ app.entry }}'
{% endif %}
