// Command registry serves container images from memory to those who log in, without TLS: for a network that
// never leaves the machine.
package main

import (
	"crypto/subtle"
	"flag"
	"log"
	"net/http"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	address := flag.String("address", "127.0.0.1:5000", "address to listen on")
	user := flag.String("user", "puller", "user name that is let in")
	password := flag.String("password", "", "the user's password")
	flag.Parse()
	if *password == "" {
		log.Fatal("registry: --password is missing")
	}
	server := http.Server{
		Addr:              *address,
		Handler:           login(*user, *password, registry.New()),
		ReadHeaderTimeout: 10 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}

func login(user, password string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		givenUser, givenPassword, _ := r.BasicAuth()
		if equal(givenUser, user) && equal(givenPassword, password) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
		http.Error(w, "log in first", http.StatusUnauthorized)
	})
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
