// Package region answers one question: where is this address?
//
// It knows regions (named sets of networks, by longest prefix), places (country, continent, coordinates), and who a
// query's client is under each of the three ways to locate one. It knows nothing of DNS messages, of health and of
// what is answered.
//
// Everything that a query touches is immutable and reached through one atomic load; what changes while the server
// runs (a subnets file, a database) is built beside it and swapped in.
package region
