package test

import golog "log"

// divert takes what CoreDNS logs: it writes by way of the standard logger.
func (l *logBook) divert() { golog.SetOutput(l) }
