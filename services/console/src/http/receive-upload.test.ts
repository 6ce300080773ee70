import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { MultipartError } from "@holdfast/http-server";
import { expect, test } from "vitest";
import { formWithFile } from "../api/form-with-file.ts";
import { receiveUpload } from "./receive-upload.ts";

function requestOf(content: AsyncIterable<Buffer> | Iterable<Buffer>, type: string): IncomingMessage {
  const body = Readable.from(content);
  return Object.assign(body, { headers: { "content-type": type } }) as unknown as IncomingMessage;
}

const FIELDS =
  '--b\r\nContent-Disposition: form-data; name="formToken"\r\n\r\nt-1\r\n' +
  '--b\r\nContent-Disposition: form-data; name="accountId"\r\n\r\ndefault\r\n';
const FILE_HEAD =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a;b.csv"\r\nContent-Type: text/csv\r\n\r\n';
const TYPE = "multipart/form-data; boundary=b";

async function read(content: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test("the fields are there before the file, which is read as it arrives", async () => {
  const rest = Promise.withResolvers<void>();
  const content = async function* () {
    yield Buffer.from(`${FIELDS}${FILE_HEAD}one,`);
    await rest.promise;
    yield Buffer.from("two\r\n--b--\r\n");
  };
  const { form, file } = await receiveUpload(requestOf(content(), TYPE));
  expect([form.get("formToken"), form.get("accountId"), file!.name]).toEqual(["t-1", "default", "a;b.csv"]);
  rest.resolve();
  expect(await read(file!.content)).toBe("one,two");
  await file!.end();
});

test("what stands behind the file is ignored", async () => {
  const content = `${FIELDS}${FILE_HEAD}one\r\n${FIELDS.replace("t-1", "t-2")}--b--\r\n`;
  const { form, file } = await receiveUpload(requestOf([Buffer.from(content)], TYPE));
  expect(await read(file!.content)).toBe("one");
  await file!.end();
  expect(form.getAll("formToken")).toEqual(["t-1"]);
});

test("a form without a file has its fields, and one that brings none is refused", async () => {
  const { form, file } = await receiveUpload(requestOf([Buffer.from(`${FIELDS}--b--\r\n`)], TYPE));
  expect([form.get("formToken"), file]).toEqual(["t-1", undefined]);
  for (const type of ["application/x-www-form-urlencoded", "text/plain"])
    await expect(receiveUpload(requestOf([Buffer.from(FIELDS)], type))).rejects.toThrow(MultipartError);
});

test.each([
  ["without a boundary", "multipart/form-data; charset=utf-8"],
  ["with an empty one", "multipart/form-data; boundary="],
  ["with one of 5 000 characters", `multipart/form-data; boundary=${"b".repeat(5_000)}`],
])("a form %s is refused", async (_which, type) => {
  await expect(receiveUpload(requestOf([Buffer.from(FIELDS)], type))).rejects.toThrow(MultipartError);
});

test("a file that is cut off is no file: whoever reads it learns it", async () => {
  const { file } = await receiveUpload(requestOf([Buffer.from(`${FIELDS}${FILE_HEAD}one,`)], TYPE));
  await expect(read(formWithFile("c", "file", file!))).rejects.toThrow("breaks off");
});

test("what goes on has the file's bytes alone, and a name that ends no head", async () => {
  const name = 'x"\r\nContent-Type: text/html';
  const file = { name, content: Readable.from([Buffer.from("one")]), end: async () => {}, discard() {} };
  const sent = await read(formWithFile("c", "file", file));
  expect(sent).toBe(
    '--c\r\nContent-Disposition: form-data; name="file"; filename="x%22%0D%0AContent-Type: text/html"\r\n' +
      "Content-Type: application/octet-stream\r\n\r\none\r\n--c--\r\n",
  );
});
