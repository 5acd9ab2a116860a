# Serves a Rack app over FastCGI on file descriptor 0, one request at a time.

require "fcgi"
require "stringio"

module RackOverFcgi
  # Answers request after request; SIGTERM ends the process (the fcgi library handles that).
  def self.serve(app)
    FCGI.each do |request|
      status, headers, body = app.call(environment(request))
      request.out.print "Status: #{status}\r\n", *headers.flat_map { |name, values| lines(name, values) }, "\r\n"
      body.each { |part| request.out.print part }
      body.close if body.respond_to?(:close)
      request.finish
    end
  end

  # Several values of a header are lines in Rack 2 and a list in Rack 3.
  def self.lines(name, values)
    Array(values).flat_map(&:lines).map { |value| "#{name}: #{value.chomp}\r\n" }
  end

  # What Rack needs to know about a request. Fronts differ in how they split the path into SCRIPT_NAME and PATH_INFO,
  # and all of them send REQUEST_URI.
  def self.environment(request)
    path, _, query = request.env["REQUEST_URI"].partition("?")
    request.env.reject { |_, value| value.empty? }.merge(
      "SCRIPT_NAME" => "", "PATH_INFO" => path, "QUERY_STRING" => query,
      "rack.version" => [1, 3], "rack.url_scheme" => "http",
      "rack.input" => StringIO.new(request.in.read.to_s.b), "rack.errors" => $stderr,
      "rack.multithread" => false, "rack.multiprocess" => true, "rack.run_once" => false
    )
  end
  private_class_method :lines, :environment
end
