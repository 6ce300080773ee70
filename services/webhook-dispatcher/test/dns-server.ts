import { createSocket } from "node:dgram";
import { isIPv4 } from "node:net";

/** A DNS server for one test, on UDP. */
export type DnsServer = {
  /** `ip:port`, for the resolver. */
  address: string;
  /** Sets the answers to queries for the name's IPv4 addresses, in turn; the last one repeats. */
  answer(name: string, ...turns: string[][]): void;
  /** Leaves queries for the name without an answer. */
  ignore(name: string): void;
  /** Answers such queries after all: there is no such name. */
  answerIgnored(name: string): void;
  /** Names whose IPv4 addresses were queried, in order. */
  asked: string[];
  close(): void;
};

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const answers = new Map<string, string[][]>();
  const ignored = new Map<string, (() => void)[]>();
  const asked: string[] = [];
  socket.on("message", (query, from) => {
    const { name, type, end } = readQuestion(query);
    const refuse = () => socket.send(buildAnswer(query.subarray(0, end), [], false), from.port, from.address);
    const kept = ignored.get(name);
    if (kept) {
      kept.push(refuse);
      return;
    }
    if (type === TYPE_A) asked.push(name);
    const turns = answers.get(name) ?? [];
    const addresses = type === TYPE_A ? (turns.length > 1 ? turns.shift() : turns[0]) : [];
    const known = answers.has(name);
    socket.send(buildAnswer(query.subarray(0, end), addresses ?? [], known), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    answer: (name, ...turns) => void answers.set(name, turns),
    ignore: (name) => void ignored.set(name, []),
    answerIgnored: (name) => ignored.get(name)?.forEach((refuse) => refuse()),
    asked,
    close: () => void socket.close(),
  };
}

const TYPE_A = 1;

/** RFC 1035, section 4: twelve bytes of header, then the question. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query[at]! > 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + query[at]!));
    at += query[at]! + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function buildAnswer(question: Buffer, addresses: string[], known: boolean): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt16BE(0, 10);
  // Name (a pointer to the question), type A, class IN, TTL 0, four bytes.
  const records = addresses
    .filter(isIPv4)
    .map((address) =>
      Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]),
    );
  return Buffer.concat([head, ...records]);
}
