// clients URL: Go's client publishes twice to the topic, polls behind each, and prints its version.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
)

func read(answer *http.Response, err error) {
	if err != nil {
		panic(err)
	}
	io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
}

func main() {
	url := os.Args[1]
	for _, since := range []string{"1795251600000001", "1795251600000002"} {
		read(http.Post(url, "text/plain", strings.NewReader(strings.Repeat("x", 100))))
		read(http.Get(url + "?since=" + since))
	}
	fmt.Println("net/http, Go " + strings.TrimPrefix(runtime.Version(), "go"))
}
