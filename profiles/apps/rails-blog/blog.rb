# A small blog with Rails, ActiveRecord and SQLite: "/articles/1" is an article with its comments and
# the most recent others. The database is in memory, so that nothing is written to disk; each connection builds its own,
# and a process opens its connection at its first request, after a fork.

ENV["RAILS_ENV"] ||= "production"

require "logger"
require "action_controller/railtie"
require "action_view/railtie"
require "active_record/railtie"

class Blog < Rails::Application
  config.root = __dir__
  config.load_defaults 6.1
  config.cache_classes = true
  config.eager_load = true
  config.consider_all_requests_local = false
  config.secret_key_base = "0" * 64 # signs nothing: the app has no session and no cookie
  config.logger = Logger.new($stderr)
  config.log_level = :error
  config.cache_store = :null_store
  config.hosts.clear
  config.middleware.use Rack::ContentLength
  config.paths["config/database"] = "database.yml"
  config.paths["app/views"] = "views"

  routes.append { resources :articles, only: :show }
end

# Fills each new connection's database.
module FilledDatabase
  TABLES = File.read(File.join(__dir__, "blog.sql"), encoding: "UTF-8")

  private

  def configure_connection
    super
    raw_connection.execute_batch(TABLES)
  end
end
ActiveSupport.on_load(:active_record_sqlite3adapter) { prepend FilledDatabase }

Blog.initialize!

class Article < ActiveRecord::Base
  has_many :comments, -> { order(:created_at) }
  scope :recent, -> { order(created_at: :desc).limit(5) }
end

class Comment < ActiveRecord::Base
  belongs_to :article
end

class ArticlesController < ActionController::Base
  layout "blog"

  def show
    @article = Article.find(params[:id])
    @recent = Article.recent.where.not(id: @article.id)
  end
end
