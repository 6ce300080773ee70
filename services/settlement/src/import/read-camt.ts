import { SaxesParser, type SaxesTagPlain } from "saxes";
import { isFault, readAmount, readDate, readText } from "./cells.ts";
import {
  SettlementFileError,
  type LineBatch,
  type LineFault,
  type SettlementLine,
} from "./settlement-line.ts";

/**
 * Reads a bank statement of ISO 20022, camt.053: a line for each booked entry, of kind PAYOUT. It states the bank's
 * whole payouts, not those of single cards. A malformed file is refused whole, since nothing says where the next entry
 * begins; so is a document type, which could name other files.
 *
 * @throws SettlementFileError
 */
export async function* readCamt(parts: AsyncIterable<Uint8Array>): AsyncGenerator<LineBatch> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reading = createReading();
  for await (const part of parts) {
    reading.write(decode(() => decoder.decode(part, { stream: true })));
    if (reading.size() >= BATCH_ENTRIES) yield reading.taken();
  }
  reading.write(decode(() => decoder.decode()));
  reading.close();
  yield reading.taken();
}

const BATCH_ENTRIES = 500;
/** A longer text or tag is in no statement. */
const TOKEN_MAX = 64 * 1_024;
const DEPTH_MAX = 32;

function decode(read: () => string): string {
  try {
    return read();
  } catch (cause) {
    throw new SettlementFileError("encoding", "the file is not UTF-8 text", { cause });
  }
}

type Entry = { values: Map<string, string>; currency: string };

// oxlint-disable-next-line max-lines-per-function -- the parser's events share what is being read
function createReading() {
  const parser = new SaxesParser();
  const path: string[] = [];
  let batch: LineBatch = { lines: [], faults: [] };
  let entry: Entry | undefined;
  let text = "";
  let entries = 0;
  let sinceToken = 0;
  parser.on("error", (cause) => {
    throw new SettlementFileError("not_well_formed", "the file is not well-formed XML", { cause });
  });
  parser.on("doctype", () => {
    throw new SettlementFileError("not_well_formed", "the file has a document type");
  });
  parser.on("opentag", ({ name, attributes }: SaxesTagPlain) => {
    sinceToken = 0;
    text = "";
    path.push(localName(name));
    if (path.length > DEPTH_MAX) throw new SettlementFileError("not_well_formed", "elements are too deep");
    if (path.length === 1 && path[0] !== "Document")
      throw new SettlementFileError("mapping_does_not_fit", "the file is no camt.053 statement");
    if (path.at(-1) === "Ntry") entry = { values: new Map(), currency: "" };
    if (entry && path.at(-1) === "Amt" && path.at(-2) === "Ntry") entry.currency = attributes["Ccy"] ?? "";
  });
  parser.on("text", (part) => void (text += part));
  parser.on("closetag", ({ name }) => {
    sinceToken = 0;
    const element = localName(name);
    if (entry && element !== "Ntry") {
      const key = path.slice(path.lastIndexOf("Ntry") + 1).join("/");
      if (!entry.values.has(key)) entry.values.set(key, text.trim());
    } else if (entry) {
      const line = lineOfEntry(entry, ++entries);
      if ("reason" in line) batch.faults.push(line);
      else if (line !== SKIPPED) batch.lines.push(line);
      entry = undefined;
    }
    path.pop();
    text = "";
  });
  return {
    write(part: string): void {
      // Small pieces, so that a text without an end is noticed while it is small.
      for (let at = 0; at < part.length; at += TOKEN_MAX) {
        const piece = part.slice(at, at + TOKEN_MAX);
        sinceToken += piece.length;
        parser.write(piece);
        if (sinceToken > 2 * TOKEN_MAX)
          throw new SettlementFileError("not_well_formed", "a text is longer than 64 KiB");
      }
    },
    close(): void {
      parser.close();
      if (entries === 0) throw new SettlementFileError("empty", "the statement has no entries");
    },
    size: () => batch.lines.length + batch.faults.length,
    taken(): LineBatch {
      const taken = batch;
      batch = { lines: [], faults: [] };
      return taken;
    },
  };
}

/** A bank may write its namespace as a prefix. */
function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** An entry that is not booked yet. */
const SKIPPED: SettlementLine = {
  lineNo: 0,
  kind: "PAYOUT",
  grossMinor: 0n,
  feeMinor: 0n,
  netMinor: 0n,
  currency: "",
};

function lineOfEntry({ values, currency }: Entry, lineNo: number): SettlementLine | LineFault {
  const status = values.get("Sts/Cd") ?? values.get("Sts") ?? "BOOK";
  if (status !== "BOOK") return SKIPPED;
  const fault = (reason: string): LineFault => ({ lineNo, reason });
  const amount = readAmount(values.get("Amt") ?? "", { decimal: ".", currency });
  if (isFault(amount)) return fault(`Amt: ${amount.fault}`);
  const direction = values.get("CdtDbtInd");
  if (direction !== "CRDT" && direction !== "DBIT") return fault("CdtDbtInd: neither CRDT nor DBIT");
  const settlesOn = readDate(values.get("ValDt/Dt") ?? values.get("ValDt/DtTm") ?? "", "yyyy-MM-dd");
  if (isFault(settlesOn)) return fault(`ValDt: ${settlesOn.fault}`);
  const bankReference = readText(values.get("AcctSvcrRef") ?? "");
  if (isFault(bankReference)) return fault(`AcctSvcrRef: ${bankReference.fault}`);
  const payoutId = readText(values.get("NtryDtls/TxDtls/Refs/EndToEndId") ?? values.get("NtryRef") ?? "");
  if (isFault(payoutId)) return fault(`EndToEndId: ${payoutId.fault}`);
  // An entry that takes back an earlier one has the direction of its own money.
  const signed = direction === "CRDT" ? amount : -amount;
  return {
    lineNo,
    kind: "PAYOUT",
    grossMinor: signed,
    feeMinor: 0n,
    netMinor: signed,
    currency,
    settlesOn,
    ...(bankReference !== undefined && { bankReference }),
    ...(payoutId !== undefined && { payoutId }),
  };
}
