import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  BOUNDS,
  decimalText,
  encodeTurkish,
  GENERIC_HEADER,
  genericLine,
  readWhole,
  shippedMapping,
  type GenericCells,
} from "../../test/written-file.ts";
import { SettlementFileError } from "./settlement-line.ts";

const generic = await shippedMapping("generic");
const nestpay = await shippedMapping("nestpay");
const camt = await shippedMapping("camt.053");

const ID = "0199aaaa-0000-7000-8000-000000000001";
const CELLS: GenericCells = {
  kind: "SALE",
  reference: ID,
  bank_reference: "bank-1",
  auth_code: "A1",
  card: "411111******1111",
  gross: "12.50",
  fee: "0.25",
  net: "12.25",
  currency: "TRY",
  transacted_at: "2026-11-20T13:00:00",
  settles_on: "2026-11-23",
  payout_id: "p-1",
};
const file = (...lines: string[]) => Buffer.from([GENERIC_HEADER, ...lines, ""].join("\r\n"));
const good = genericLine(CELLS);

describe("a file of delimited lines", () => {
  test("is read into lines of one form", async () => {
    expect(await readWhole(generic, file(good))).toEqual({
      lines: [
        {
          lineNo: 2,
          kind: "SALE",
          reference: ID,
          referenceId: ID,
          bankReference: "bank-1",
          authCode: "A1",
          maskedPan: "411111******1111",
          grossMinor: 1_250n,
          feeMinor: 25n,
          netMinor: 1_225n,
          currency: "TRY",
          transactedAt: "2026-11-20T13:00:00",
          settlesOn: "2026-11-23",
          payoutId: "p-1",
        },
      ],
      faults: [],
    });
  });

  test("is read back as it was written, whatever it says", async () => {
    const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ,"';şİ]{0,30}$/).map((text) => text.trim());
    const amount = fc.bigInt({ min: -99_999_999n, max: 99_999_999n });
    const row = fc.record({ reference: word, auth_code: word, gross: amount, fee: amount });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
        const written = rows.map(({ reference, auth_code, gross, fee }) =>
          genericLine({
            ...CELLS,
            reference,
            auth_code,
            gross: decimalText(gross),
            fee: decimalText(fee),
            net: decimalText(gross - fee),
          }),
        );
        const { lines, faults } = await readWhole(generic, file(...written));
        expect(faults).toEqual([]);
        expect(
          lines.map(({ reference, authCode, grossMinor, feeMinor, netMinor }) => ({
            reference,
            authCode,
            grossMinor,
            feeMinor,
            netMinor,
          })),
        ).toEqual(
          rows.map(({ reference, auth_code, gross, fee }) => ({
            reference,
            authCode: auth_code,
            grossMinor: gross,
            feeMinor: fee,
            netMinor: gross - fee,
          })),
        );
      }),
    );
  });

  test("keeps every line that can be read, whatever stands between them, and accounts for each of the others", async () => {
    const noise = fc.oneof(
      fc.constantFrom(
        '"never closed',
        'a"b,c',
        "too,few",
        `${good},one more`,
        '""""',
        "=1+1",
        ";;;;",
        "\u0000",
      ),
      fc.string({ maxLength: 200 }).map((text) => text.replaceAll(/[\r\n]/g, " ")),
    );
    const line = fc.oneof(fc.constant(good), noise);
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 40 }), async (between) => {
        const { lines, faults } = await readWhole(generic, file(good, ...between, good));
        const sound = between.flatMap((each, index) => (each === good ? [index + 3] : []));
        expect(lines.map(({ lineNo }) => lineNo)).toEqual([2, ...sound, between.length + 3]);
        const empty = between.filter((each) => each.trim() === "").length;
        expect(lines.length + faults.length + empty).toBe(between.length + 2);
      }),
    );
  });

  test("of any bytes at all is an account, never a failure of another kind", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (bytes, headed) => {
        const content = headed ? Buffer.concat([file(good), bytes]) : bytes;
        const outcome = await readWhole(generic, content).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(SettlementFileError);
        else expect(outcome).toMatchObject({ lines: expect.any(Array) as unknown });
      }),
    );
  });

  test.each([
    ["an unknown kind", { kind: "GIFT" }, "kind: not in the mapping"],
    ["a name of an object's own", { kind: "constructor" }, "kind: not in the mapping"],
    ["no amount", { gross: "12,5x" }, "gross: not an amount"],
    ["an unknown currency", { currency: "ZZZ" }, "gross: unknown currency"],
    [
      "no day",
      { settles_on: "2026-02-30", transacted_at: "x" },
      "settlesOn: not a date, transactedAt: not a date",
    ],
    ["no day but an empty one", { settles_on: "2026-02-30", transacted_at: "" }, "settlesOn: not a date"],
    ["neither fee nor net amount", { fee: "", net: "" }, "net: not an amount"],
    ["a fee that is no amount", { fee: "n/a" }, "fee: not an amount"],
  ])("with %s in a cell keeps the reason and takes the others", async (_, change, reason) => {
    const { lines, faults } = await readWhole(
      generic,
      file(good, genericLine({ ...CELLS, ...change }), good),
    );
    expect(lines.map(({ lineNo }) => lineNo)).toEqual([2, 4]);
    expect(faults).toMatchObject([{ lineNo: 3, reason }]);
  });

  const taken = async (change: Partial<GenericCells>) => {
    const { lines, faults } = await readWhole(generic, file(genericLine({ ...CELLS, ...change })));
    expect(faults).toEqual([]);
    return lines[0]!;
  };

  test.each([
    ["a card number", { reference: "4111111111111111" }, "reference", "reference: a card number"],
    [
      "a card that is not masked as usual",
      { card: "****" },
      "maskedPan",
      "maskedPan: not a masked card number",
    ],
    [
      "a control character",
      { auth_code: "a\u0001" },
      "authCode",
      "authCode: characters that cannot be printed",
    ],
    ["a long text", { payout_id: "x".repeat(129) }, "payoutId", "payoutId: too long"],
    ["no day of settlement", { settles_on: "00000000" }, "settlesOn", "settlesOn: not a date"],
    ["no day of the transaction", { transacted_at: "?" }, "transactedAt", "transactedAt: not a date"],
  ] as const)("with %s in an optional cell is taken without the cell", async (_, change, name, note) => {
    const { [name]: __, ...others } = await taken({});
    expect(await taken(change)).toEqual({
      ...others,
      note,
      ...(name === "reference" && { referenceId: undefined }),
    });
  });

  test("with several such cells names each of them", async () => {
    expect(await taken({ auth_code: "x".repeat(129), card: "?" })).toMatchObject({
      grossMinor: 1_250n,
      note: "authCode: too long, maskedPan: not a masked card number",
    });
  });

  test("with a time that cannot be read keeps its day", async () => {
    expect(await taken({ transacted_at: "2026-11-20T24:61", settles_on: "" })).toMatchObject({
      transactedAt: "2026-11-20T00:00:00",
      note: "transactedAt: not a time",
    });
  });

  test("with a text like a formula, or a word for none, has no note", async () => {
    expect(await taken({ reference: "+++123/4567/89012+++", auth_code: "-" })).not.toHaveProperty("note");
    expect(await taken({ auth_code: "-" })).not.toHaveProperty("authCode");
  });

  test("without a fee or a net amount has the one that follows from the others", async () => {
    expect(await taken({ fee: "" })).toMatchObject({ feeMinor: 25n, netMinor: 1_225n });
    expect(await taken({ net: "" })).toMatchObject({ feeMinor: 25n, netMinor: 1_225n });
  });

  test("may begin with a byte order mark", async () => {
    const { lines } = await readWhole(generic, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), file(good)]));
    expect(lines).toHaveLength(1);
  });

  test.each([
    ["nothing", Buffer.from(""), "empty"],
    ["a header alone", file(), "empty"],
    ["UTF-16", Buffer.from(file(good).toString(), "utf16le"), "encoding"],
    ["UTF-16 with its mark", Buffer.from(`\ufeff${file(good).toString()}`, "utf16le"), "encoding"],
    ["other columns", Buffer.from("a,b\n1,2\n"), "mapping_does_not_fit"],
    ["a column twice", Buffer.from(`${GENERIC_HEADER},gross\n${good},1\n`), "mapping_does_not_fit"],
    ["no line that can be read", file("a,b", "c"), "mapping_does_not_fit"],
    ["a photograph", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), "encoding"],
  ])("of %s is refused whole", async (_, content, code) => {
    await expect(readWhole(generic, content)).rejects.toMatchObject({ name: "SettlementFileError", code });
  });

  test("with more than the bound of bytes or of faults is refused whole", async () => {
    const content = file(good, "x", "y", "z");
    await expect(readWhole(generic, content, { ...BOUNDS, bytesMax: 100 })).rejects.toMatchObject({
      code: "too_large",
    });
    await expect(readWhole(generic, content, { ...BOUNDS, faultsMax: 2 })).rejects.toMatchObject({
      code: "too_many_faults",
    });
  });
});

describe("a bank's day with a line of totals", () => {
  const HEAD =
    "İşyeri No;Terminal No;Gün Sonu No;İşlem Tarihi;İşlem Saati;Valör Tarihi;Kart No;İşlem Tipi;Taksit No;Taksit Sayısı;Para Birimi;Brüt Tutar;Komisyon Tutarı;Hizmet Bedeli;Net Tutar;Provizyon No;Sipariş No;İşlem No";
  const sale = (gross = "1.012,50", net = "992,35") =>
    `1;T;7;22.11.2026;12:00:00;23.11.2026;435508******4358;Satış;1;1;TRY;${gross};20,15;0,00;${net};P1;${ID.replaceAll("-", "")};t1`;
  const totals = (count: string, gross: string, net: string) =>
    `TOPLAM;${count};;;;;;;;;;${gross};;;${net};;;`;
  const turkish = (...lines: string[]) => encodeTurkish([HEAD, ...lines, ""].join("\r\n"));

  test("is read in its encoding, with decimal commas and our id without hyphens", async () => {
    const { lines } = await readWhole(nestpay, turkish(sale(), totals("1", "1.012,50", "992,35")));
    expect(lines).toMatchObject([
      {
        kind: "SALE",
        referenceId: ID,
        grossMinor: 101_250n,
        feeMinor: 2_015n,
        netMinor: 99_235n,
        installment: 1,
      },
    ]);
  });

  test.each(["0;0", "00;00", ";"])("with %s installments has lines of undivided payments", async (parts) => {
    const { lines, faults } = await readWhole(
      nestpay,
      turkish(sale().replace(";1;1;", `;${parts};`), totals("0001", "0000001012,50", "000000992,35")),
    );
    expect(faults).toEqual([]);
    expect(lines[0]).not.toHaveProperty("installment");
    expect(lines[0]).not.toHaveProperty("installments");
  });

  test("may fill up the numbers of its installments", async () => {
    const parts = turkish(sale().replace(";1;1;", ";01;06;"), totals("1", "1.012,50", "992,35"));
    expect((await readWhole(nestpay, parts)).lines).toMatchObject([{ installment: 1, installments: 6 }]);
  });

  test.each([
    ["that is not there", [sale()], "truncated"],
    ["that was cut off", [sale(), totals("1", "1.012,50", "992,35").slice(0, 20)], "truncated"],
    ["of more lines", [sale(), totals("2", "1.012,50", "992,35")], "totals_differ"],
    ["of another sum", [sale("1.012,51"), totals("1", "1.012,50", "992,35")], "totals_differ"],
    ["with a line behind it", [totals("1", "1.012,50", "992,35"), sale()], "totals_differ"],
    [
      "that stands there twice",
      [sale(), totals("1", "1.012,50", "992,35"), totals("1", "1.012,50", "992,35")],
      "totals_differ",
    ],
  ])("%s is refused whole", async (_, lines, code) => {
    await expect(readWhole(nestpay, turkish(...lines))).rejects.toMatchObject({ code });
  });

  test("in UTF-8, where the mapping says Windows-1254, does not fit", async () => {
    await expect(readWhole(nestpay, Buffer.from(`${HEAD}\r\n${sale()}\r\n`))).rejects.toMatchObject({
      code: "mapping_does_not_fit",
    });
  });
});

describe("a bank statement of ISO 20022", () => {
  const entry = (amount: string, direction = "CRDT", more = "") =>
    `<Ntry><Amt Ccy="TRY">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><ValDt><Dt>2026-11-23</Dt></ValDt><AcctSvcrRef>b-1</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>payout-1</EndToEndId></Refs><Amt Ccy="TRY">1</Amt></TxDtls></NtryDtls>${more}</Ntry>`;
  const documentOf = (message: string, ...entries: string[]) =>
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><${message}><Stmt>${entries.join("")}</Stmt></${message}></Document>`;
  const statement = (...entries: string[]) =>
    Buffer.from(`<?xml version="1.0"?>${documentOf("BkToCstmrStmt", ...entries)}`);

  test("reports payouts, with what went out negative", async () => {
    expect(await readWhole(camt, statement(entry("1234.50"), entry("1.00", "DBIT"), entry("x")))).toEqual({
      lines: [
        expect.objectContaining({
          lineNo: 1,
          kind: "PAYOUT",
          netMinor: 123_450n,
          settlesOn: "2026-11-23",
          bankReference: "b-1",
          payoutId: "payout-1",
        }),
        expect.objectContaining({ lineNo: 2, netMinor: -100n }),
      ],
      faults: [{ lineNo: 3, reason: "Amt: not an amount", read: { kind: "PAYOUT" } }],
    });
  });

  const read = async (content: Buffer) => {
    const { lines, faults } = await readWhole(camt, content);
    expect(faults).toEqual([]);
    return lines[0]!;
  };

  test("counts an entry without the day of its value from its booking", async () => {
    const day = "<ValDt><Dt>2026-11-23</Dt></ValDt>";
    const booked = (form: string) => entry("1").replace(day, `<BookgDt>${form}</BookgDt>`);
    for (const form of ["<Dt>2026-11-20</Dt>", "<DtTm>2026-11-20T23:00:00.5+02:00</DtTm>"])
      expect(await read(statement(booked(form)))).toMatchObject({ settlesOn: "2026-11-20" });
    const none = await readWhole(camt, statement(entry("1"), entry("2").replace(day, "")));
    expect(none.faults).toMatchObject([{ lineNo: 2, reason: "ValDt, BookgDt: not a date" }]);
  });

  test("may fill up its amounts with zeros", async () => {
    expect(await read(statement(entry("000000000005202.96")))).toMatchObject({ netMinor: 520_296n });
  });

  test("keeps an entry whose reference cannot be read, and takes NOTPROVIDED for none", async () => {
    const referring = (reference: string) =>
      statement(
        entry("1").replace("payout-1", reference).replace("<NtryDtls>", "<NtryRef>77</NtryRef><NtryDtls>"),
      );
    const payoutIdOf = async (reference: string) => (await read(referring(reference))).payoutId;
    expect(await payoutIdOf("+++123/4567/89012+++")).toBe("+++123/4567/89012+++");
    expect(await payoutIdOf("<![CDATA[a&b]]>")).toBe("a&b");
    expect(await payoutIdOf("NOTPROVIDED")).toBe("77");
    expect(await read(referring("4111111111111111"))).toMatchObject({
      payoutId: "77",
      note: "NtryDtls/TxDtls/Refs/EndToEndId: a card number",
    });
  });

  test.each([
    ["ISO-8859-1", "latin1"],
    ["iso-8859-9", "latin1"],
    ["UTF-8", "utf8"],
  ] as const)("in %s is read as it declares", async (declared, encoding) => {
    const text = documentOf("BkToCstmrStmt", entry("1").replace("payout-1", "Gutschrift Händler"));
    const content = Buffer.from(`<?xml version="1.0" encoding="${declared}"?>${text}`, encoding);
    expect(await read(content)).toMatchObject({ payoutId: "Gutschrift Händler" });
  });

  test("of fewer bytes than a declaration may have is read", async () => {
    await expect(readWhole(camt, Buffer.from("<Document/>"))).rejects.toMatchObject({ code: "empty" });
  });

  test("leaves out what is not booked", async () => {
    const pending = entry("5").replace("BOOK", "PDNG");
    expect((await readWhole(camt, statement(entry("1"), pending))).lines).toHaveLength(1);
  });

  test.each([
    ["is cut off", statement(entry("1")).subarray(0, -30), "not_well_formed"],
    ["has a document type", Buffer.from('<!DOCTYPE a [<!ENTITY x "y">]><Document/>'), "not_well_formed"],
    ["is another document", Buffer.from("<html/>"), "mapping_does_not_fit"],
    ["is camt.052", Buffer.from(documentOf("BkToCstmrAcctRpt", entry("1"))), "mapping_does_not_fit"],
    ["is camt.054", Buffer.from(documentOf("BkToCstmrDbtCdtNtfctn", entry("1"))), "mapping_does_not_fit"],
    ["is not in the encoding that it declares", Buffer.from("<Document>ä</Document>", "latin1"), "encoding"],
    ["declares UTF-7", Buffer.from('<?xml version="1.0" encoding="UTF-7"?><Document/>'), "encoding"],
    ["has no entries", statement(), "empty"],
    ["has a text without an end", Buffer.from(`<Document>${"a".repeat(200_000)}`), "not_well_formed"],
    ["is deep", Buffer.from("<Document><BkToCstmrStmt>" + "<a>".repeat(50)), "not_well_formed"],
  ])("that %s is refused whole", async (_, content, code) => {
    await expect(readWhole(camt, content)).rejects.toMatchObject({ name: "SettlementFileError", code });
  });
});
