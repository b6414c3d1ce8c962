package main

import (
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

type question struct{ Text, Environment string }

// answer has the stage that fails, or none and the rendered text.
type answer struct {
	Stage string `json:"stage"`
	Text  string `json:"text"`
}

// renderAll answers a stream of templates, one JSON value each.
func renderAll(in io.Reader, out io.Writer) error {
	questions, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q question
		if err := questions.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(rendering(q)); err != nil {
			return err
		}
	}
}

func rendering(q question) answer {
	text, err := render([]byte(q.Text), "F", q.Environment)
	var failed templateError
	switch {
	case errors.As(err, &failed):
		return answer{Stage: failed.stage}
	case !utf8.Valid(text):
		return answer{Stage: "binary"}
	}
	return answer{Text: string(text)}
}
