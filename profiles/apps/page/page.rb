# A dynamic page at "/": a query of the timetable, and a template filled with the result. A Rack app.

require "erb"
require "sqlite3"

module Page
  TIMETABLE = File.read(File.join(__dir__, "page.sql"), encoding: "UTF-8")
  QUERY = "SELECT minute, kind, line, terminus, platform FROM board WHERE stop = ? AND minute >= ? LIMIT 24".freeze
  MISSING = "Not found\n".freeze

  module_function

  # Answers only GET, HEAD and POST at "/".
  def call(env)
    found = env["PATH_INFO"] == "/"
    body = found ? html("Harbour Bridge", 8 * 60) : MISSING
    headers = {
      "Content-Type" => "text/#{found ? 'html' : 'plain'}; charset=utf-8",
      "Content-Length" => body.bytesize.to_s
    }
    [found ? 200 : 404, headers, env["REQUEST_METHOD"] == "HEAD" ? [] : [body]]
  end

  # The page of about 2.5 KB.
  def html(stop, start)
    render(stop, start, database.execute(QUERY, [stop, start]))
  end

  # This thread's in-memory database, built at its first request: connections can't cross threads or forks.
  def database
    Thread.current.thread_variable_get(:timetable) || begin
      built = SQLite3::Database.new(":memory:")
      built.execute_batch(TIMETABLE)
      Thread.current.thread_variable_set(:timetable, built)
      built
    end
  end

  # A minute of the day as HH:MM.
  def clock(minute)
    format("%02d:%02d", minute / 60, minute % 60)
  end

  template = ERB.new(File.read(File.join(__dir__, "page.erb"), encoding: "UTF-8"), trim_mode: "-")
  template.def_method(singleton_class, "render(stop, start, board)", "page.erb")
end
