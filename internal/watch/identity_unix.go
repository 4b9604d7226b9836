//go:build unix

package watch

import (
	"fmt"
	"os"
	"syscall"
)

// identity is what a file is, whatever its name.
func identity(info os.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
	}
	return ""
}
