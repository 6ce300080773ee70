import { connect } from "node:net";

/** One answer as it came: interim ones are left out. */
export type WireAnswer = { status: number; contentType: string | undefined; head: string; body: string };

/**
 * Writes bytes to a connection of its own and reads the answer. A whole answer ends the exchange. Without one
 * the server may be waiting for more of a request: this side then closes its half, and the server has to end
 * the connection.
 */
export async function exchangeBytes(
  port: number,
  bytes: Buffer,
  patienceMs: number,
): Promise<{ answers: WireAnswer[]; hung: boolean }> {
  return await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    let hung = false;
    const noMore = setTimeout(() => socket.end(), patienceMs);
    const deadline = setTimeout(() => {
      hung = true;
      socket.destroy();
    }, DEADLINE_MS);
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (parseAnswers(Buffer.concat(chunks)).isWhole) socket.end();
    });
    // A reset is the server's right where it has refused; its answer before that counts.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(noMore);
      clearTimeout(deadline);
      resolve({ answers: parseAnswers(Buffer.concat(chunks)).answers, hung });
    });
    socket.write(bytes);
  });
}

/** Longer than the gateway takes for anything. */
const DEADLINE_MS = 25_000;

/** All answers in the bytes of a connection. `isWhole`: the last answer is complete. */
export function parseAnswers(bytes: Buffer): { answers: WireAnswer[]; isWhole: boolean } {
  const answers: WireAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd === -1) return { answers, isWhole: false };
    const head = rest.subarray(0, headEnd).toString("latin1");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? Number.NaN);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const body = rest.subarray(headEnd + 4, headEnd + 4 + length);
    rest = rest.subarray(headEnd + 4 + length);
    if (status === 100) {
      if (rest.length === 0) return { answers, isWhole: false };
      continue;
    }
    answers.push({
      status,
      contentType: /^content-type: (.*)$/im.exec(head)?.[1],
      head,
      body: body.toString(),
    });
    if (body.length < length) return { answers, isWhole: false };
  }
  return { answers, isWhole: answers.length > 0 };
}
