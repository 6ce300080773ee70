import { expect, test } from "vitest";

import { auth, preAuth, startTestBank } from "./test/test-bank.ts";

const AT = "2026-11-22 12:00:00.000";
const LATER = "2026-11-22 12:00:01.000";

test("the state of a sale has minor units, local times and a line that repeats the facts", async () => {
  await using bank = await startTestBank();
  const { TransId, AuthCode, HostRefNum } = await bank.ask(auth("o"));
  const status = await bank.status("o");
  expect(status).toMatchObject({
    ErrMsg: "Record(s) found for o",
    Response: "Approved",
    ProcReturnCode: "00",
    OrderId: "o",
    TransId,
    "Extra/AUTH_CODE": AuthCode,
    "Extra/AUTH_DTTM": AT,
    "Extra/CAPTURE_AMT": "1250",
    "Extra/CAPTURE_DTTM": AT,
    "Extra/CHARGE_TYPE_CD": "S",
    "Extra/HOSTDATE": "1122-120000",
    "Extra/HOST_REF_NUM": HostRefNum,
    "Extra/NUMCODE": "0",
    "Extra/ORD_ID": "o",
    "Extra/ORIG_TRANS_AMT": "1250",
    "Extra/PAN": "4355 08** **** 4358",
    "Extra/PROC_RET_CD": "00",
    "Extra/SETTLEID": "",
    "Extra/TRANS_ID": TransId,
    "Extra/TRANS_STAT": "C",
  });
  expect(status["Extra/ORDERSTATUS"]).toBe(
    `ORD_ID:o\tCHARGE_TYPE_CD:S\tORIG_TRANS_AMT:1250\tCAPTURE_AMT:1250\tTRANS_STAT:C\tAUTH_DTTM:${AT}\tCAPTURE_DTTM:${AT}\tAUTH_CODE:${AuthCode}\tTRANS_ID:${TransId}`,
  );
  expect(status).not.toHaveProperty("Extra/VOID_DTTM");
});

test("an order that the bank does not know has an empty state, and an empty history", async () => {
  await using bank = await startTestBank();
  const ErrMsg = "Kayıt bulunamadı <a>&b</a>";
  const status = await bank.status("<a>&b</a>");
  expect(status).toMatchObject({
    OrderId: "",
    TransId: "",
    Response: "Declined",
    ProcReturnCode: "99",
    ErrMsg,
  });
  expect(status["Extra/NUMCODE"]).toBe("0");
  expect(status["Extra/ORDERSTATUS"]).toBe(
    "ORD_ID:\tCHARGE_TYPE_CD:\tORIG_TRANS_AMT:\tCAPTURE_AMT:\tTRANS_STAT:\tAUTH_DTTM:\tCAPTURE_DTTM:\tAUTH_CODE:",
  );
  const history = await bank.ask({ OrderId: "x", "Extra/ORDERHISTORY": "QUERY" });
  expect(history).toMatchObject({ Response: "Declined", ProcReturnCode: "05", OrderId: "x" });
  expect(history).toMatchObject({ "Extra/NUMCODE": "0", "Extra/TRXCOUNT": "0" });
});

test("a wrong password is not an order that is not found", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  for (const view of ["Extra/ORDERSTATUS", "Extra/ORDERHISTORY"]) {
    const answer = await bank.ask({ OrderId: "o", Password: "wrong", [view]: "QUERY" });
    expect(answer).toMatchObject({ Response: "Error", "Extra/ERRORCODE": "CORE-2201" });
    expect(answer).not.toHaveProperty(view);
  }
});

test("a hold is one row, with the captured sum once it is captured, and without one when it is back", async () => {
  await using bank = await startTestBank({ modes: { voidReturnsHold: true } });
  const held = await bank.ask(preAuth("o"));
  const columns = [held.HostRefNum, held.AuthCode, "00"];
  const open = [["S", "A", "1250", "", AT, "", "", ...columns, held.TransId]];
  expect(await bank.history("o")).toEqual(open);
  expect((await bank.status("o"))["Extra/CAPTURE_AMT"]).toBe("");
  await bank.advance(1);
  const { TransId } = await bank.ask({ Type: "PostAuth", OrderId: "o", Total: "10" });
  const row = ["S", "C", "1000", "1000", AT, LATER, "", ...columns];
  expect(await bank.history("o")).toEqual([[...row, TransId]]);
  await bank.modes({ transIdAfterCapture: "hold" });
  expect(await bank.history("o")).toEqual([[...row, held.TransId]]);
  await bank.ask({ Type: "Void", OrderId: "o" });
  expect(await bank.history("o")).toEqual(open);
  expect((await bank.ask({ Type: "PostAuth", OrderId: "o" })).Response).toBe("Approved");
});

test("a void changes the row of what it voids, and leaves none of its own", async () => {
  await using bank = await startTestBank();
  const { HostRefNum, AuthCode, TransId } = await bank.ask(auth("o"));
  await bank.advance(1);
  await bank.ask({ Type: "Void", OrderId: "o" });
  const columns = [HostRefNum, AuthCode, "00", TransId];
  expect(await bank.history("o")).toEqual([["S", "V", "1250", "1250", AT, AT, LATER, ...columns]]);
  await bank.endDay();
  const shown = { "Extra/TRANS_STAT": "V", "Extra/VOID_DTTM": LATER, "Extra/SETTLEID": "" };
  expect(await bank.status("o")).toMatchObject(shown);
});

test("a refused refund leaves a row of a known order, and does not hide what succeeded", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.ask({ Type: "Void", OrderId: "o" });
  const { TransId } = await bank.ask({ Type: "Credit", OrderId: "o", Total: "12.50" });
  expect((await bank.history("o"))[0]).toEqual(["C", "D", "1250", "1250", AT, AT, "", "", "", "99", TransId]);
  expect((await bank.status("o"))["Extra/TRANS_STAT"]).toBe("V");
  await bank.ask({ Type: "Credit", OrderId: "x", Total: "1" });
  expect(await bank.history("x")).toEqual([]);
});

test("a declined payment is shown where none was approved, and refusals of the gateway are not", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o", { Number: "4000000000009995" }));
  const declined = { "Extra/TRANS_STAT": "D", "Extra/PROC_RET_CD": "51", "Extra/CAPTURE_AMT": "" };
  expect(await bank.status("o")).toMatchObject({ Response: "Approved", ProcReturnCode: "00", ...declined });
  await bank.ask(auth("o"));
  expect((await bank.status("o"))["Extra/TRANS_STAT"]).toBe("C");
  await bank.ask(auth("o"));
  expect(await bank.history("o")).toHaveLength(2);
});

test("after a refund the state is the refund's, and the history has both, with the batch of the settled", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.endDay();
  expect((await bank.status("o"))["Extra/SETTLEID"]).toBe("1");
  const { TransId } = await bank.ask({ Type: "Credit", OrderId: "o", Total: "2.50" });
  const shown = { "Extra/CHARGE_TYPE_CD": "C", "Extra/TRANS_STAT": "C", "Extra/ORIG_TRANS_AMT": "250" };
  expect(await bank.status("o")).toMatchObject({ TransId, ...shown });
  const rows = (await bank.history("o")).map((row) => [...row.slice(0, 4), row[11]]);
  expect(rows).toEqual([
    ["C", "C", "250", "250", undefined],
    ["S", "S", "1250", "1250", "1"],
  ]);
});
