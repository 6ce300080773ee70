import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Logger, networkOf, oncePerSecond } from "@holdfast/service-runtime";
import { createFairRoom, type Place } from "./fair-room.ts";

export type BoundConnectionsOptions = {
  /** The listener's name, for the log. */
  name: string;
  /** Open connections, those in their handshake included. */
  connectionsMax: number;
  overTls: boolean;
  log: Logger;
};

export type BoundConnections = {
  /** Keeps the connection of a request that has arrived open until its answer is complete. To be called for each. */
  keepForAnswer(request: IncomingMessage, response: ServerResponse): void;
  /** Closes the connections with an unfinished handshake, which Node's `closeAllConnections` leaves open. */
  closeHandshakes(): void;
};

/**
 * Bounds the connections of a server so that no client shuts out another one. If there are too many, a
 * connection that waits for its client is closed: the one that has been idle longest, at the address with
 * most of them. Unfinished handshakes have a share of the places, by the same rule, so they leave the other
 * places to working clients.
 */
export function boundConnections(
  server: Server,
  { name, connectionsMax, overTls, log }: BoundConnectionsOptions,
): BoundConnections {
  const onDropped = oncePerSecond((dropped) => log.warn({ listener: name, dropped }, "too many connections"));
  const room = createFairRoom({ placesMax: connectionsMax });
  const handshakeRoom = createFairRoom({
    placesMax: Math.max(1, Math.floor(connectionsMax * HANDSHAKES_SHARE)),
  });
  // Keyed by the client's address and port: Node shows a connection with TLS first as a plain socket, then as another one.
  const handshakes = new Map<string, { socket: Socket; place: Place; handshake: Place }>();
  const places = new WeakMap<Socket, Place>();

  server.on("connection", (socket: Socket) => {
    const client = networkOf(socket.remoteAddress ?? "");
    const close = () => {
      onDropped();
      socket.destroy();
    };
    const place = room(client, close);
    socket.once("close", () => place.leave());
    if (!overTls) places.set(socket, place);
    if (!overTls || socket.destroyed) return;
    const key = endOf(socket);
    const handshake = handshakeRoom(client, close);
    handshakes.set(key, { socket, place, handshake });
    socket.once("close", () => {
      handshake.leave();
      handshakes.delete(key);
    });
  });
  server.on("secureConnection", (socket: Socket) => {
    const key = endOf(socket);
    const begun = handshakes.get(key);
    if (!begun) return;
    handshakes.delete(key);
    begun.handshake.leave();
    places.set(socket, begun.place);
    // A new turn: the time of the handshake was not idle.
    begun.place.hold();
    begun.place.release();
  });

  return {
    keepForAnswer(request, response) {
      const place = places.get(request.socket);
      const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
      if (!place) return;
      if (length === "0" && coding === undefined) holdForAnswer(place, response);
      else request.once("end", () => holdForAnswer(place, response));
    },
    closeHandshakes() {
      for (const { socket } of handshakes.values()) socket.destroy();
    },
  };
}

const HANDSHAKES_SHARE = 1 / 4;

function holdForAnswer(place: Place, response: ServerResponse): void {
  if (response.writableEnded || response.closed) return;
  place.hold();
  let isHeld = true;
  const release = () => {
    if (isHeld) place.release();
    isHeld = false;
  };
  response.once("prefinish", release).once("close", release);
}

function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
