// A peer for the benchmark: sends as many notifications as a job says, the way clients on Go's net/http2 are used. A
// number of goroutines share one transport; each takes a device, sends, reads the answer, takes the next.
//
//	peer job.json
//
// prints {"completed":…,"failed":…,"seconds":…,"cpu_seconds":…}. Built without a network, from Debian's golang-go and
// golang-golang-x-net-dev.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/http2"
)

// What kits-bench writes for its peers.
type job struct {
	Port            int    `json:"port"`
	CertificateFile string `json:"certificate_file"`
	KeyFile         string `json:"key_file"`
	KeyID           string `json:"key_id"`
	TeamID          string `json:"team_id"`
	Topic           string `json:"topic"`
	Payload         string `json:"payload"`
	Count           int    `json:"count"`
	Concurrency     int    `json:"concurrency"`
}

type result struct {
	Completed  int64   `json:"completed"`
	Failed     int64   `json:"failed"`
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`
}

type peer struct {
	job        job
	client     *http.Client
	credential string
	expiration string
	payload    []byte
}

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: peer job.json"))
	}
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var job job
	check(json.Unmarshal(text, &job))
	peer, err := newPeer(job)
	check(err)
	devices := randomHex(32, job.Count)
	ids := randomUUIDs(2 * job.Count)
	// Opens the connection, which is not what is measured.
	check(peer.send(randomHex(32, 1)[0], ids[0], ids[0]))
	var result result
	started, cpu := time.Now(), cpuSeconds()
	var next int64 = -1
	var group sync.WaitGroup
	for worker := 0; worker < job.Concurrency; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				at := int(atomic.AddInt64(&next, 1))
				if at >= len(devices) {
					return
				}
				if err := peer.send(devices[at], ids[2*at], ids[2*at+1]); err != nil {
					if atomic.AddInt64(&result.Failed, 1) == 1 {
						fmt.Fprintln(os.Stderr, err)
					}
				} else {
					atomic.AddInt64(&result.Completed, 1)
				}
			}
		}()
	}
	group.Wait()
	result.Seconds = time.Since(started).Seconds()
	result.CPUSeconds = cpuSeconds() - cpu
	check(json.NewEncoder(os.Stdout).Encode(result))
}

func newPeer(job job) (*peer, error) {
	anchor, err := os.ReadFile(job.CertificateFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(anchor) {
		return nil, fmt.Errorf("%s holds no certificate", job.CertificateFile)
	}
	credential, err := providerToken(job)
	if err != nil {
		return nil, err
	}
	return &peer{
		job:        job,
		client:     &http.Client{Transport: &http2.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}},
		credential: "bearer " + credential,
		expiration: strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10),
		payload:    []byte(job.Payload),
	}, nil
}

func (p *peer) send(device, id, collapseID string) error {
	url := fmt.Sprintf("https://localhost:%d/3/device/%s", p.job.Port, device)
	request, err := http.NewRequest("POST", url, bytes.NewReader(p.payload))
	if err != nil {
		return err
	}
	request.Header.Set("authorization", p.credential)
	request.Header.Set("apns-id", id)
	request.Header.Set("apns-topic", p.job.Topic)
	request.Header.Set("apns-push-type", "alert")
	request.Header.Set("apns-priority", "10")
	request.Header.Set("apns-expiration", p.expiration)
	request.Header.Set("apns-collapse-id", collapseID)
	request.Header.Set("content-type", "application/json")
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != 200 {
		return fmt.Errorf("%d %s", response.StatusCode, body)
	}
	return nil
}

// An ES256 JWT with a key id, a team id and a time. It serves for the whole run, as it does for an hour in earnest.
func providerToken(job job) (string, error) {
	text, err := os.ReadFile(job.KeyFile)
	if err != nil {
		return "", err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return "", fmt.Errorf("%s is not PEM", job.KeyFile)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return "", err
	}
	key, isEC := parsed.(*ecdsa.PrivateKey)
	if !isEC {
		return "", fmt.Errorf("%s is no EC key", job.KeyFile)
	}
	header := fmt.Sprintf(`{"alg":"ES256","kid":"%s"}`, job.KeyID)
	claims := fmt.Sprintf(`{"iss":"%s","iat":%d}`, job.TeamID, time.Now().Unix())
	encoding := base64.RawURLEncoding
	signed := encoding.EncodeToString([]byte(header)) + "." + encoding.EncodeToString([]byte(claims))
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return signed + "." + encoding.EncodeToString(signature), nil
}

func randomHex(size, count int) []string {
	bytes := make([]byte, size*count)
	_, err := rand.Read(bytes)
	check(err)
	texts := make([]string, count)
	for index := range texts {
		texts[index] = hex.EncodeToString(bytes[index*size : (index+1)*size])
	}
	return texts
}

func randomUUIDs(count int) []string {
	texts := randomHex(16, count)
	for index, hex := range texts {
		texts[index] = hex[:8] + "-" + hex[8:12] + "-4" + hex[13:16] + "-a" + hex[17:20] + "-" + hex[20:]
	}
	return texts
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "peer:", err)
	os.Exit(1)
}
