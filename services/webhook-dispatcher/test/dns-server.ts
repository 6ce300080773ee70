import { createSocket } from "node:dgram";
import { isIP, isIPv4 } from "node:net";

/** A DNS server for one test, on UDP. */
export type DnsServer = {
  /** `ip:port`, for the resolver. */
  address: string;
  /** Sets the answers to queries for the name's addresses, in turn; the last one repeats. Each has all families. */
  answer(name: string, ...turns: string[][]): void;
  /** Leaves queries for the name without an answer. */
  ignore(name: string): void;
  /** Leaves queries for one family of the name's addresses without an answer. */
  ignoreFamily(name: string, family: 4 | 6): void;
  /** Answers such queries after all: there is no such name. */
  answerIgnored(name: string): void;
  /** The number of queries for an ignored name. */
  ignoredQueries(name: string): number;
  /** Names whose IPv4 addresses were queried, in order. */
  asked: string[];
  close(): void;
};

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const answers = new Map<string, string[][]>();
  const ignored = new Map<string, (() => void)[]>();
  const ignoredFamilies = new Map<string, 4 | 6>();
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
    const family = type === TYPE_A ? 4 : 6;
    if (ignoredFamilies.get(name) === family) return;
    const turns = answers.get(name) ?? [];
    const turn = type === TYPE_A && turns.length > 1 ? turns.shift() : turns[0];
    const addresses = turn?.filter((address) => isIP(address) === family);
    const known = answers.has(name);
    socket.send(buildAnswer(query.subarray(0, end), addresses ?? [], known), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    answer: (name, ...turns) => void answers.set(name, turns),
    ignore: (name) => void ignored.set(name, []),
    ignoreFamily: (name, family) => void ignoredFamilies.set(name, family),
    answerIgnored: (name) => ignored.get(name)?.forEach((refuse) => refuse()),
    ignoredQueries: (name) => ignored.get(name)?.length ?? 0,
    asked,
    close: () => void socket.close(),
  };
}

const TYPE_A = 1;
const TYPE_AAAA = 28;

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
  // Name (a pointer to the question), type, class IN, TTL 0, the address.
  const records = addresses.map((address) => {
    const bytes = isIPv4(address) ? address.split(".").map(Number) : bytesOfV6(address);
    const type = isIPv4(address) ? TYPE_A : TYPE_AAAA;
    return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
  });
  return Buffer.concat([head, ...records]);
}

/** The bytes of an address with one `::`. */
function bytesOfV6(address: string): number[] {
  const [before = [], after = []] = address
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const groups = [
    ...before,
    ...Array.from({ length: 8 - before.length - after.length }, () => "0"),
    ...after,
  ];
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
}
