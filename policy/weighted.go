package policy

// wheel lays the shares of candidates out side by side on a circle, each as wide as its share.
type wheel struct {
	list  []*Member
	ends  []uint64 // ends[i] is where the share of list[i] ends
	sum   uint64
	guide []int32 // guide[b] is the candidate at the first position of the b-th of len(list) equal parts
}

// newWheel gives a wheel of the candidates that have a share; nil if none has.
func newWheel(list []candidate) *wheel {
	divisor := uint64(0)
	for i := range list {
		divisor = gcd(divisor, list[i].share)
	}
	if divisor == 0 {
		return nil
	}
	w := &wheel{}
	for sum := total(list) / divisor; sum > maxWheel; sum /= 2 {
		divisor *= 2 // shares so unequal are not exact to the last digit
	}
	for i := range list {
		share := list[i].share / divisor
		if share == 0 && list[i].share > 0 {
			share = 1
		}
		if share > 0 {
			w.sum += share
			w.list = append(w.list, list[i].Member)
			w.ends = append(w.ends, w.sum)
		}
	}
	w.guide = make([]int32, len(w.list))
	for b, i := 0, int32(0); b < len(w.guide); b++ {
		for start := uint64(b) * w.sum / uint64(len(w.guide)); w.ends[i] <= start; {
			i++
		}
		w.guide[b] = i
	}
	return w
}

// maxWheel keeps position times stride within 64 bits.
const maxWheel = 1 << 31

func total(list []candidate) (sum uint64) {
	for i := range list {
		sum += list[i].share
	}
	return sum
}

// at gives whose share holds position x, from 0 to sum-1. From the guide's entry it is one or two steps on average,
// however many candidates there are (Chen and Asau 1974).
func (w *wheel) at(x uint64) *Member {
	i := w.guide[x*uint64(len(w.guide))/w.sum]
	for w.ends[i] <= x {
		i++
	}
	return w.list[i]
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// weighted goes round the wheel in strides of about the golden ratio: that visits every position once in sum queries,
// so any sum queries in a row hold everybody exactly as often as its share says, and spreads each one's turns evenly.
type weighted struct {
	*wheel
	stride  uint64 // coprime to sum
	answers int
	turn    *turn
}

func newWeighted(s *choiceSet) picker {
	w := newWheel(s.list)
	if len(w.list) == 1 {
		return fixed(w.list)
	}
	return &weighted{wheel: w, stride: stride(w.sum), answers: min(s.answers, len(w.list)), turn: s.turn}
}

func stride(sum uint64) uint64 {
	s := max(uint64(float64(sum)*0.6180339887498949), 1)
	for gcd(s, sum) != 1 {
		s++
	}
	return s
}

func (p *weighted) pick(q *Query, buf []*Member) []*Member {
	position := p.turn.take(q) % p.sum
	if p.answers == 1 {
		return append(buf, p.at(position*p.stride%p.sum))
	}
	next := position
	return distinct(buf, p.answers, func() *Member {
		m := p.at(next % p.sum * p.stride % p.sum)
		next++
		return m
	}, p.list, position)
}

// weightedRandom draws from the wheel.
type weightedRandom struct {
	*wheel
	answers int
	random  func() uint64
}

func newWeightedRandom(s *choiceSet) picker {
	w := newWheel(s.list)
	return &weightedRandom{wheel: w, answers: min(s.answers, len(w.list)), random: s.random}
}

func (p *weightedRandom) pick(_ *Query, buf []*Member) []*Member {
	if p.answers == 1 {
		return append(buf, p.at(uint64(below(p.random(), int(p.sum)))))
	}
	return distinct(buf, p.answers, func() *Member { return p.at(uint64(below(p.random(), int(p.sum)))) }, p.list, p.random()>>1)
}
