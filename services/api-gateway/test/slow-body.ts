import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A client that has sent the head of a request and one byte of its body, and then sends nothing. */
export type SlowBody = {
  socket: Socket;
  /** The answer's text so far. */
  text(): string;
};

/**
 * Begins a request whose body does not arrive. Resolves when the server is reading the body, which it
 * announces because it is asked to (RFC 9110, 10.1.1).
 */
export async function sendSlowBody(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<SlowBody> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  const isRead = new Promise<void>((resolve, reject) => {
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += String(chunk);
      resolve();
    });
    socket.on("error", reject).on("close", () => reject(new Error("closed before the body was asked for")));
  });
  const lines = Object.entries({
    host: "localhost",
    ...headers,
    "content-length": "500",
    expect: "100-continue",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  await isRead;
  socket.write("{");
  return { socket, text: () => text };
}
