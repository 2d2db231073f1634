# clients.rb KIND URL: a client of Ruby publishes twice to the topic, polls behind each, and prints its version.
require "net/http"

BODY = "x" * 100
SINCE = %w[1795251600000001 1795251600000002].freeze
TEXT = { "Content-Type" => "text/plain" }.freeze

def net_http(url)
  uri = URI(url)
  Net::HTTP.start(uri.host, uri.port) do |http|
    SINCE.each do |since|
      http.post(uri.path, BODY, TEXT)
      http.get("#{uri.path}?since=#{since}")
    end
  end
  "Net::HTTP"
end

def faraday(url)
  require "faraday"
  SINCE.each do |since|
    Faraday.post(url, BODY, TEXT)
    Faraday.get(url, since: since)
  end
  "Faraday #{Faraday::VERSION}"
end

def httparty(url)
  require "httparty"
  SINCE.each do |since|
    HTTParty.post(url, body: BODY)
    HTTParty.get(url, query: { since: since })
  end
  "HTTParty #{HTTParty::VERSION}"
end

puts "#{send(ARGV[0], ARGV[1])}, Ruby #{RUBY_VERSION}"
