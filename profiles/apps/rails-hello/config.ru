# A whole Rails app in one file: a route, a controller and 47 bytes at "/".

ENV["RAILS_ENV"] ||= "production"

require "logger"
require "action_controller/railtie"

class RailsHello < Rails::Application
  config.root = __dir__
  config.load_defaults 6.1
  config.cache_classes = true
  config.eager_load = true
  config.consider_all_requests_local = false
  config.secret_key_base = "0" * 64 # signs nothing: the app has no session and no cookie
  config.logger = Logger.new($stderr)
  config.log_level = :error
  config.hosts.clear
  config.middleware.use Rack::ContentLength

  routes.append { root to: "hello#show" }
end

RailsHello.initialize!

class HelloController < ActionController::Base
  def show
    render plain: "Hello from Rails: a route, a controller, done.\n"
  end
end

run RailsHello
