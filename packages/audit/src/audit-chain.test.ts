import { expect, test } from "vitest";
import { auditHash, GENESIS, verifyAuditChain, type AuditAnchor, type AuditEntry } from "./audit-chain.ts";

function chain(length: number): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (let index = 1; index <= length; index++) {
    const content = {
      sequence: BigInt(index),
      at: new Date(Date.UTC(2026, 10, 20, 12, 0, index)),
      actor: "alice",
      action: "merchant.created",
      subject: `merchant-${index}`,
      detail: "{}",
    };
    entries.push({ ...content, hash: auditHash(entries.at(-1)?.hash ?? GENESIS, content) });
  }
  return entries;
}

async function* stream(entries: AuditEntry[]) {
  yield* entries;
}

const verify = (entries: AuditEntry[], ...anchors: AuditAnchor[]) =>
  verifyAuditChain(stream(entries), { anchors });

/** Rewrites hashes, which the owner of the database can. */
function rehashed(entries: AuditEntry[]): AuditEntry[] {
  let previous: Buffer = GENESIS;
  return entries.map((entry) => ({ ...entry, hash: (previous = auditHash(previous, entry)) }));
}

test("an untouched chain is intact, and its head is the last hash", async () => {
  const entries = chain(5);
  expect(await verify(entries)).toEqual({ intact: true, entries: 5n, head: entries[4]!.hash });
  expect(await verify([])).toEqual({ intact: true, entries: 0n, head: GENESIS });
});

test.each(["at", "actor", "action", "subject", "detail"] as const)("a changed %s is found", async (field) => {
  const entries = chain(3);
  entries[1] = { ...entries[1]!, [field]: field === "at" ? new Date(0) : "changed" };
  expect(await verify(entries)).toEqual({ intact: false, sequence: 2n, fault: "hash" });
});

test("a removed entry and a moved one are found", async () => {
  const entries = chain(4);
  expect(await verify(entries.toSpliced(1, 1))).toMatchObject({ intact: false, fault: "gap" });
  const renumbered = entries
    .toSpliced(1, 1)
    .map((entry, index) => ({ ...entry, sequence: BigInt(index + 1) }));
  expect(await verify(renumbered)).toEqual({ intact: false, sequence: 2n, fault: "hash" });
});

test("a chain that was cut or written anew does not match a head kept elsewhere", async () => {
  const entries = chain(4);
  const anchor = { sequence: 3n, hash: entries[2]!.hash };
  expect(await verify(entries, anchor)).toMatchObject({ intact: true });
  expect(await verify(entries.slice(0, 2), anchor)).toEqual({
    intact: false,
    sequence: 2n,
    fault: "anchor",
    anchor,
  });
  const rewritten = rehashed(entries.map((entry) => ({ ...entry, actor: "mallory" })));
  expect(await verify(rewritten)).toMatchObject({ intact: true });
  expect(await verify(rewritten, anchor)).toEqual({ intact: false, sequence: 3n, fault: "anchor", anchor });
});

test("each of many heads has to be in the chain, and two heads of one entry cannot both be", async () => {
  const entries = chain(4);
  const heads = entries.map(({ sequence, hash }) => ({ sequence, hash }));
  expect(await verify(entries, ...heads, ...heads)).toMatchObject({ intact: true });
  const other = { sequence: 2n, hash: entries[3]!.hash };
  expect(await verify(entries, ...heads, other)).toEqual({
    intact: false,
    sequence: 2n,
    fault: "anchor",
    anchor: other,
  });
});

test("an entry dated before its predecessor, or in the future, is found though its hash is right", async () => {
  const entries = chain(3);
  const dated = (at: string) => rehashed(entries.with(2, { ...entries[2]!, at: new Date(at) }));
  expect(await verify(dated("2026-01-01T00:00:00Z"))).toEqual({ intact: false, sequence: 3n, fault: "time" });
  expect(await verify(dated(entries[1]!.at.toISOString()))).toMatchObject({ intact: true });
  const now = new Date("2026-11-20T12:01:00Z");
  const verifyNow = (at: string) => verifyAuditChain(stream(dated(at)), { now });
  expect(await verifyNow("2026-11-20T12:05:00Z")).toMatchObject({ intact: true });
  expect(await verifyNow("2026-11-20T13:00:00Z")).toEqual({ intact: false, sequence: 3n, fault: "time" });
});
