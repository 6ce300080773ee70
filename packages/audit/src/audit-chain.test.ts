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

const verify = (entries: AuditEntry[], anchor?: AuditAnchor) => verifyAuditChain(stream(entries), anchor);

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
  expect(await verify(entries.slice(0, 2), anchor)).toMatchObject({ intact: false, fault: "anchor" });
  const rewritten = chain(4).map((entry) => ({ ...entry, actor: "mallory" }));
  let previous: Buffer = GENESIS;
  for (const entry of rewritten) previous = entry.hash = auditHash(previous, entry);
  expect(await verify(rewritten)).toMatchObject({ intact: true });
  expect(await verify(rewritten, anchor)).toEqual({ intact: false, sequence: 3n, fault: "anchor" });
});
