// The reassembly of gopacket, and nothing after it: counts the tuples of 38 bytes that the server's streams hold.
// usage: reassemble CAPTURE
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/google/gopacket/tcpassembly"
)

const tuple = 38

// A counter takes the bytes of one direction.
type counter struct{ bytes int }

func (c *counter) Reassembled(chunks []tcpassembly.Reassembly) {
	for _, chunk := range chunks {
		c.bytes += len(chunk.Bytes)
	}
}

func (c *counter) ReassemblyComplete() {}

type counters struct{ all []*counter }

func (c *counters) New(network, transport gopacket.Flow) tcpassembly.Stream {
	one := &counter{}
	c.all = append(c.all, one)
	return one
}

func assemble(packets *pcapgo.Reader, assembler *tcpassembly.Assembler) {
	var ethernet layers.Ethernet
	var ip layers.IPv4
	var tcp layers.TCP
	var payload gopacket.Payload
	parser := gopacket.NewDecodingLayerParser(layers.LayerTypeEthernet, &ethernet, &ip, &tcp, &payload)
	decoded := make([]gopacket.LayerType, 0, 4)
	for {
		data, info, err := packets.ZeroCopyReadPacketData()
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		if parser.DecodeLayers(data, &decoded) == nil && len(decoded) >= 3 {
			assembler.AssembleWithTimestamp(ip.NetworkFlow(), &tcp, info.Timestamp)
		}
	}
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: reassemble CAPTURE")
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	packets, err := pcapgo.NewReader(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		log.Fatal(err)
	}
	streams := &counters{}
	assembler := tcpassembly.NewAssembler(tcpassembly.NewStreamPool(streams))
	assemble(packets, assembler)
	assembler.FlushAll()
	tuples := 0
	for _, one := range streams.all {
		tuples += one.bytes / tuple
	}
	fmt.Println(tuples)
}
