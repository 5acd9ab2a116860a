# The file over Rack.

require_relative "static"

run Static
