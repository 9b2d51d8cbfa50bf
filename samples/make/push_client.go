// A provider with Go's x/net/http2: sends the pushes of a plan (push_plan.py), some one after the other, the rest together.
// usage: push_client URL PLAN
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	"golang.org/x/net/http2"
)

func send(client *http.Client, url, line string) {
	parts := strings.Split(line, "\t")
	method, path, _ := strings.Cut(parts[0], " ")
	request, err := http.NewRequest(method, url+path, strings.NewReader(parts[2]))
	if err != nil {
		log.Fatal(err)
	}
	for _, pair := range strings.Split(parts[1], "|") {
		name, value, _ := strings.Cut(pair, ": ")
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
}

func main() {
	url, lines := os.Args[1], []string{}
	file, err := os.Open(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		lines = append(lines, scanner.Text())
	}
	transport := &http2.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	if strings.HasPrefix(url, "http:") {
		transport.AllowHTTP = true
		transport.DialTLSContext = func(ctx context.Context, network, address string, _ *tls.Config) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
	}
	client := &http.Client{Transport: transport}
	half := len(lines) / 2
	for _, line := range lines[:half] {
		send(client, url, line)
	}
	var group sync.WaitGroup
	for _, line := range lines[half:] {
		group.Add(1)
		go func(line string) {
			defer group.Done()
			send(client, url, line)
		}(line)
	}
	group.Wait()
	transport.CloseIdleConnections()
}
