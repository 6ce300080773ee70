import { textDecoder, XML_DECLARATION_BYTES, xmlEncoding } from "@holdfast/acquirer/decode-text";
import { SaxesParser, type SaxesTagPlain } from "saxes";
import { isFault, readAmount, readDate, readText } from "./cells.ts";
import {
  SettlementFileError,
  type LineBatch,
  type LineFault,
  type ReadParts,
  type SettlementLine,
} from "./settlement-line.ts";

/**
 * Reads a bank statement of ISO 20022, camt.053: a line of kind PAYOUT for each booked entry. It states the
 * bank's whole payouts, not single cards' shares. A malformed file is refused whole, since nothing says where
 * the next entry begins. A document type is refused, too, since it could name other files.
 *
 * @throws SettlementFileError
 */
export async function* readCamt(parts: AsyncIterable<Uint8Array>): AsyncGenerator<LineBatch> {
  const reading = createReading();
  for await (const text of decoded(parts)) {
    reading.write(text);
    if (reading.size() >= BATCH_ENTRIES) yield reading.taken();
  }
  reading.close();
  yield reading.taken();
}

const BATCH_ENTRIES = 500;
/** A longer text or tag is in no statement. */
const TOKEN_MAX = 64 * 1_024;
const DEPTH_MAX = 32;

/** Decodes a document as it declares; without a declaration it is UTF-8. */
async function* decoded(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let beginning: Buffer | undefined = Buffer.alloc(0);
  let encoding = "UTF-8";
  let decoder: TextDecoder | undefined;
  const decode = (part: Uint8Array, stream: boolean) => {
    try {
      decoder ??= textDecoder(encoding);
      if (decoder) return decoder.decode(part, { stream });
    } catch (cause) {
      throw new SettlementFileError("encoding", `the file is not ${encoding} text`, { cause });
    }
    throw new SettlementFileError("encoding", "the encoding that the file declares is not read");
  };
  for await (const part of parts) {
    if (!beginning) {
      yield decode(part, true);
      continue;
    }
    beginning = Buffer.concat([beginning, part]);
    if (beginning.length < XML_DECLARATION_BYTES) continue;
    encoding = xmlEncoding(beginning) ?? encoding;
    yield decode(beginning, true);
    beginning = undefined;
  }
  if (beginning) encoding = xmlEncoding(beginning) ?? encoding;
  yield decode(beginning ?? Buffer.alloc(0), false);
}

/** The elements of an entry that are read. All others, however many, are dropped. */
const DAYS = ["ValDt/Dt", "ValDt/DtTm", "BookgDt/Dt", "BookgDt/DtTm"];
const READ: ReadonlySet<string> = new Set([
  "Sts/Cd",
  "Sts",
  "Amt",
  "CdtDbtInd",
  ...DAYS,
  "AcctSvcrRef",
  "NtryDtls/TxDtls/Refs/EndToEndId",
  "NtryRef",
]);

const ROOTS = ["Document", "BkToCstmrStmt"];

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
    // The intraday report and the notification, camt.052 and camt.054, have the same entries before the statement.
    if (path.length <= 2 && path.at(-1) !== ROOTS[path.length - 1])
      throw new SettlementFileError("mapping_does_not_fit", "the file is no camt.053 statement");
    if (path.at(-1) === "Ntry") entry = { values: new Map(), currency: "" };
    if (entry && path.at(-1) === "Amt" && path.at(-2) === "Ntry") entry.currency = attributes["Ccy"] ?? "";
  });
  parser.on("text", (part) => void (text += part));
  parser.on("cdata", (part) => void (text += part));
  parser.on("closetag", ({ name }) => {
    sinceToken = 0;
    const element = localName(name);
    if (entry && element !== "Ntry") {
      const key = path.slice(path.lastIndexOf("Ntry") + 1).join("/");
      if (READ.has(key) && !entry.values.has(key)) entry.values.set(key, text.trim());
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
  const read: ReadParts = { kind: "PAYOUT" };
  const fault = (reason: string): LineFault => ({ lineNo, reason, read });
  const amount = readAmount(values.get("Amt") ?? "", { decimal: ".", currency });
  if (isFault(amount)) return fault(`Amt: ${amount.fault}`);
  Object.assign(read, { currency, stakeMinor: amount });
  const direction = values.get("CdtDbtInd");
  if (direction !== "CRDT" && direction !== "DBIT") return fault("CdtDbtInd: neither CRDT nor DBIT");
  // An entry that reverses an earlier one has the direction of its own money.
  const signed = direction === "CRDT" ? amount : -amount;
  read.grossMinor = signed;
  // Each of the two days is optional. Without a value date the entry's money counts from its booking date.
  const settlesOn = DAYS.map((name) => readDate(values.get(name) ?? "", "yyyy-MM-dd")).find(
    (day) => typeof day === "string",
  );
  if (settlesOn === undefined) return fault("ValDt, BookgDt: not a date");
  const dropped: string[] = [];
  const text = (name: string): string | undefined => {
    const read = readText(values.get(name) ?? "");
    if (!isFault(read)) return read;
    dropped.push(`${name}: ${read.fault}`);
    return undefined;
  };
  const bankReference = text("AcctSvcrRef");
  const payoutId = text("NtryDtls/TxDtls/Refs/EndToEndId") ?? text("NtryRef");
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
    ...(dropped.length > 0 && { note: dropped.join(", ") }),
  };
}
