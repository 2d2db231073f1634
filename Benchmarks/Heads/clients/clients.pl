# clients.pl KIND URL: a client of Perl publishes twice to the topic, polls behind each, and prints its version.
use strict;
use warnings;

my $body = 'x' x 100;
my @cursors = ('1795251600000001', '1795251600000002');

my %kinds = (
    http_tiny => sub {
        my ($url) = @_;
        require HTTP::Tiny;
        my $client = HTTP::Tiny->new;
        for my $since (@cursors) {
            $client->post($url, { content => $body, headers => { 'Content-Type' => 'text/plain' } });
            $client->get("$url?since=$since");
        }
        return "HTTP::Tiny $HTTP::Tiny::VERSION";
    },
    lwp => sub {
        my ($url) = @_;
        require LWP::UserAgent;
        my $client = LWP::UserAgent->new(keep_alive => 1);
        for my $since (@cursors) {
            $client->post($url, 'Content-Type' => 'text/plain', Content => $body);
            $client->get("$url?since=$since");
        }
        return "LWP $LWP::UserAgent::VERSION";
    },
    mojo => sub {
        my ($url) = @_;
        require Mojo::UserAgent;
        my $client = Mojo::UserAgent->new;
        for my $since (@cursors) {
            $client->post($url => $body);
            $client->get("$url?since=$since");
        }
        require Mojolicious;
        return "Mojo::UserAgent $Mojolicious::VERSION";
    },
);

printf "%s, Perl %vd\n", $kinds{ $ARGV[0] }->($ARGV[1]), $^V;
