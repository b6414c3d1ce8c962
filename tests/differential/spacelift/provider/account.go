package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

// What the API knows about an account: its dependencies, one per line, and their state.
type account struct {
	path string
	lock sync.Mutex
}

// Makes `stack` depend on `upstream`, which the API rejects if it closes a cycle.
func (a *account) depend(stack, upstream string) error {
	a.lock.Lock()
	defer a.lock.Unlock()
	edges, err := a.edges()
	if err != nil {
		return err
	}
	if stack == upstream {
		return errors.New("a stack cannot depend on itself")
	}
	if edges[stack+" "+upstream] {
		return errors.New("there is this dependency already")
	}
	seen := map[string]bool{}
	open := []string{upstream}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if at == stack {
			return errors.New("stacks cannot depend on each other in a cycle")
		}
		if seen[at] {
			continue
		}
		seen[at] = true
		for edge := range edges {
			if from, to, _ := strings.Cut(edge, " "); from == at {
				open = append(open, to)
			}
		}
	}
	return a.write("+ %s %s\n", stack, upstream)
}

// Removes a dependency.
func (a *account) forget(stack, upstream string) error {
	a.lock.Lock()
	defer a.lock.Unlock()
	return a.write("- %s %s\n", stack, upstream)
}

func (a *account) edges() (map[string]bool, error) {
	text, err := os.ReadFile(a.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	edges := map[string]bool{}
	for line := range bytes.Lines(text) {
		sign, edge, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if edges[edge] = sign == "+"; !edges[edge] {
			delete(edges, edge)
		}
	}
	return edges, nil
}

func (a *account) write(format string, arguments ...any) error {
	file, err := os.OpenFile(a.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, format, arguments...)
	return errors.Join(err, file.Close())
}
