import { open, type FileHandle } from "node:fs/promises";

import { expect, test, vi } from "vitest";

import { auth, preAuth, startTestBank, type Answer } from "../../test/test-bank.ts";

const AT = "2026-11-22 12:00:00.000";

test("the state of a sale has minor units, local times and a line that repeats the facts", async () => {
  await using bank = await startTestBank();
  const { TransId, AuthCode, HostRefNum } = await bank.ask(auth("o-1"));
  expect(await bank.status("o-1")).toMatchObject({
    ErrMsg: "Record(s) found for o-1",
    Response: "Approved",
    ProcReturnCode: "00",
    OrderId: "o-1",
    TransId,
    "Extra/AUTH_CODE": AuthCode,
    "Extra/AUTH_DTTM": AT,
    "Extra/CAPTURE_AMT": "1250",
    "Extra/CAPTURE_DTTM": AT,
    "Extra/CHARGE_TYPE_CD": "S",
    "Extra/HOSTDATE": "1122-120000",
    "Extra/HOST_REF_NUM": HostRefNum,
    "Extra/NUMCODE": "0",
    "Extra/ORD_ID": "o-1",
    "Extra/ORIG_TRANS_AMT": "1250",
    "Extra/PAN": "4355 08** **** 4358",
    "Extra/PROC_RET_CD": "00",
    "Extra/SETTLEID": "",
    "Extra/TRANS_ID": TransId,
    "Extra/TRANS_STAT": "C",
    "Extra/ORDERSTATUS": [
      "ORD_ID:o-1",
      "CHARGE_TYPE_CD:S",
      "ORIG_TRANS_AMT:1250",
      "CAPTURE_AMT:1250",
      "TRANS_STAT:C",
      `AUTH_DTTM:${AT}`,
      `CAPTURE_DTTM:${AT}`,
      `AUTH_CODE:${AuthCode}`,
      `TRANS_ID:${TransId}`,
    ].join("\t"),
  });
  expect(await bank.status("o-1")).not.toHaveProperty("Extra/VOID_DTTM");
});

test("an order that the bank does not know has an empty state, and an empty history", async () => {
  await using bank = await startTestBank();
  expect(await bank.status("x")).toEqual({
    "": "",
    OrderId: "",
    GroupId: "",
    TransId: "",
    AuthCode: "",
    HostRefNum: "",
    Response: "Declined",
    ProcReturnCode: "99",
    ErrMsg: "Kayıt bulunamadı x",
    Extra: "",
    "Extra/NUMCODE": "0",
    "Extra/ORDERSTATUS":
      "ORD_ID:\tCHARGE_TYPE_CD:\tORIG_TRANS_AMT:\tCAPTURE_AMT:\tTRANS_STAT:\tAUTH_DTTM:\tCAPTURE_DTTM:\tAUTH_CODE:",
  });
  expect(await bank.ask({ OrderId: "x", "Extra/ORDERHISTORY": "QUERY" })).toMatchObject({
    Response: "Declined",
    ProcReturnCode: "05",
    OrderId: "x",
    ErrMsg: "Kayıt bulunamadı x",
    "Extra/NUMCODE": "0",
    "Extra/TRXCOUNT": "0",
  });
});

test("what a caller has sent cannot break out of an answer", async () => {
  await using bank = await startTestBank();
  expect((await bank.status("<a>&b</a>")).ErrMsg).toBe("Kayıt bulunamadı <a>&b</a>");
});

test("an inquiry does not tell what is not yet on the disk", async () => {
  await using bank = await startTestBank();
  const handle = await open(bank.ledgerFile);
  const disk = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "datasync");
  await handle.close();
  const gate = Promise.withResolvers<void>();
  disk.mockImplementationOnce(() => gate.promise);
  const events: string[] = [];
  const sale = bank.ask(auth("o"));
  await vi.waitFor(() => expect(disk).toHaveBeenCalledOnce());
  const inquiry = bank.status("o").then((answer) => {
    events.push("shown");
    return answer;
  });
  // Each of these calls would give an inquiry that does not wait the time to be answered.
  for (let count = 0; count < 20; count += 1) await bank.control("GET", "/livez");
  events.push("on the disk");
  gate.resolve();
  expect((await inquiry)["Extra/TRANS_STAT"]).toBe("C");
  await sale;
  expect(events).toEqual(["on the disk", "shown"]);
  disk.mockRestore();
});

test("a wrong password is not an order that is not found", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o-1"));
  for (const view of ["Extra/ORDERSTATUS", "Extra/ORDERHISTORY"]) {
    const answer = await bank.ask({ OrderId: "o-1", Password: "wrong", [view]: "QUERY" });
    expect(answer).toMatchObject({
      Response: "Error",
      ProcReturnCode: "99",
      "Extra/ERRORCODE": "CORE-2201",
    });
    expect(answer).not.toHaveProperty(view);
  }
});

test("a hold is authorized, and one row with the captured sum once it is captured", async () => {
  await using bank = await startTestBank();
  const held = await bank.ask(preAuth("o-1"));
  const columns = [held.HostRefNum, held.AuthCode, "00"];
  expect(await bank.history("o-1")).toEqual([["S", "A", "1250", "", AT, "", "", ...columns, held.TransId]]);
  expect((await bank.status("o-1"))["Extra/CAPTURE_AMT"]).toBe("");
  await bank.advance(1);
  const { TransId } = await bank.ask({ Type: "PostAuth", OrderId: "o-1", Total: "10" });
  const row = ["S", "C", "1000", "1000", AT, "2026-11-22 12:00:01.000", "", ...columns];
  expect(await bank.history("o-1")).toEqual([[...row, TransId]]);
  await bank.modes({ transIdAfterCapture: "hold" });
  expect(await bank.history("o-1")).toEqual([[...row, held.TransId]]);
});

test("a void changes the row of what it voids, and leaves none of its own", async () => {
  await using bank = await startTestBank();
  const { HostRefNum, AuthCode, TransId } = await bank.ask(auth("o-1"));
  await bank.advance(1);
  await bank.ask({ Type: "Void", OrderId: "o-1" });
  const voidedAt = "2026-11-22 12:00:01.000";
  expect(await bank.history("o-1")).toEqual([
    ["S", "V", "1250", "1250", AT, AT, voidedAt, HostRefNum, AuthCode, "00", TransId],
  ]);
  expect(await bank.status("o-1")).toMatchObject({
    Response: "Approved",
    "Extra/TRANS_STAT": "V",
    "Extra/VOID_DTTM": voidedAt,
  });
  await bank.endDay();
  expect(await bank.status("o-1")).toMatchObject({ "Extra/TRANS_STAT": "V", "Extra/SETTLEID": "" });
});

test("a refused refund leaves a row, and does not hide what succeeded", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o-1"));
  await bank.ask({ Type: "Void", OrderId: "o-1" });
  const { "": _, ...refused } = await bank.ask({ Type: "Credit", OrderId: "o-1", Total: "12.50" });
  expect(await bank.history("o-1")).toEqual([
    ["C", "D", "1250", "1250", AT, AT, "", "", "", "99", refused.TransId],
    expect.arrayContaining(["S", "V"]),
  ]);
  expect((await bank.status("o-1"))["Extra/TRANS_STAT"]).toBe("V");
});

test("a refused refund of an unknown order leaves the order unknown", async () => {
  await using bank = await startTestBank();
  await bank.ask({ Type: "Credit", OrderId: "x", Total: "1" });
  expect(await bank.history("x")).toEqual([]);
});

test("a declined payment is shown where none was approved, and refusals of the gateway are not", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o-1", { Number: "4000000000009995" }));
  expect(await bank.status("o-1")).toMatchObject({
    Response: "Approved",
    ProcReturnCode: "00",
    "Extra/TRANS_STAT": "D",
    "Extra/PROC_RET_CD": "51",
    "Extra/CAPTURE_AMT": "",
  });
  await bank.ask(auth("o-1"));
  expect((await bank.status("o-1"))["Extra/TRANS_STAT"]).toBe("C");
  await bank.ask(auth("o-1"));
  expect(await bank.history("o-1")).toHaveLength(2);
});

test("after a refund the state is the refund's, and the history has both, newest first", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o-1"));
  await bank.endDay();
  const { TransId } = await bank.ask({ Type: "Credit", OrderId: "o-1", Total: "2.50" });
  expect(await bank.status("o-1")).toMatchObject({
    TransId,
    "Extra/CHARGE_TYPE_CD": "C",
    "Extra/TRANS_STAT": "C",
    "Extra/ORIG_TRANS_AMT": "250",
  });
  expect((await bank.history("o-1")).map((row) => row.slice(0, 4))).toEqual([
    ["C", "C", "250", "250"],
    ["S", "S", "1250", "1250"],
  ]);
});

test("a day's end settles what was captured: S with the batch, in a twelfth column, too", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("sale"));
  await bank.ask(preAuth("hold"));
  await bank.endDay();
  const stat = async (order: string) => {
    const answer: Answer = await bank.status(order);
    return [answer["Extra/TRANS_STAT"], answer["Extra/SETTLEID"]];
  };
  expect(await stat("sale")).toEqual(["S", "1"]);
  expect(await stat("hold")).toEqual(["A", ""]);
  expect((await bank.history("sale"))[0]).toHaveLength(12);
  expect((await bank.history("sale"))[0]?.[11]).toBe("1");
  await bank.ask({ Type: "PostAuth", OrderId: "hold" });
  await bank.endDay();
  expect(await stat("hold")).toEqual(["S", "2"]);
  expect(await stat("sale")).toEqual(["S", "1"]);
});
