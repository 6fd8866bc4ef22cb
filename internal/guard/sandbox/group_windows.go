package sandbox

import "os/exec"

// group changes nothing here: a program ends alone.
func group(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}
