import { readFileSync } from "node:fs";

/** Bytes of live objects in a Node process that was started with `--inspect`, after a full garbage collection. */
export async function liveHeapOf(logFile: string): Promise<number> {
  const address = readFileSync(logFile, "utf8")
    .match(/ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/g)
    ?.at(-1);
  if (address === undefined) throw new Error(`${logFile} names no inspector`);
  const socket = new WebSocket(address);
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", () => reject(new Error(`${address} does not answer`)), { once: true });
    });
    await ask(socket, "HeapProfiler.collectGarbage");
    const { usedSize } = await ask(socket, "Runtime.getHeapUsage");
    return usedSize as number;
  } finally {
    socket.close();
  }
}

async function ask(socket: WebSocket, method: string): Promise<Record<string, unknown>> {
  const id = ++asked;
  const answer = new Promise<Record<string, unknown>>((resolve) => {
    const onMessage = ({ data }: MessageEvent) => {
      const message = JSON.parse(String(data)) as { id?: number; result?: Record<string, unknown> };
      if (message.id !== id) return;
      socket.removeEventListener("message", onMessage);
      resolve(message.result ?? {});
    };
    socket.addEventListener("message", onMessage);
  });
  socket.send(JSON.stringify({ id, method }));
  return await answer;
}

let asked = 0;
