<?php
// clients.php KIND URL: a client of PHP publishes twice to the topic, polls behind each, and prints its version.
const BODY = 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx';
const SINCE = ['1795251600000001', '1795251600000002'];

function curl(string $url): string
{
    $handle = curl_init();
    curl_setopt($handle, CURLOPT_RETURNTRANSFER, true);
    foreach (SINCE as $since) {
        curl_setopt($handle, CURLOPT_URL, $url);
        curl_setopt($handle, CURLOPT_POSTFIELDS, BODY);
        curl_exec($handle);
        curl_setopt($handle, CURLOPT_HTTPGET, true);
        curl_setopt($handle, CURLOPT_URL, "$url?since=$since");
        curl_exec($handle);
    }
    return 'curl_exec';
}

function stream(string $url): string
{
    $options = ['method' => 'POST', 'header' => 'Content-Type: text/plain', 'content' => BODY];
    foreach (SINCE as $since) {
        file_get_contents($url, false, stream_context_create(['http' => $options]));
        file_get_contents("$url?since=$since");
    }
    return 'file_get_contents';
}

echo $argv[1]($argv[2]) . ', PHP ' . PHP_VERSION . "\n";
