#!/bin/sh
# spawn-fcgi leads what a worker says nowhere, and cgi-fcgi closes stdout and stderr, so that a warning ends it.
{# The logs are the record's, where another user than its owner may not write. #}
exec >>'{{ runtime if user else logs }}/workers.log' 2>&1
exec '{{ app.ruby }}' '{{ app.path }}/{{ app.entry }}'
