import MockServer
import Testing
