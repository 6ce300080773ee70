/**
 * Sends at the end of a turn of the event loop: the client then writes once to its socket for everything
 * published in the turn. In a busy process this lets the server and the other side work on the messages
 * together.
 *
 * @returns resolves or rejects like `send`. The client has got all earlier sends by then.
 */
export type SendByTurn = <Sent>(send: () => Sent | Promise<Sent>) => Promise<Sent>;

export function createSendByTurn(): SendByTurn {
  let gathered: (() => void)[] = [];
  const sendAll = () => {
    const sends = gathered;
    gathered = [];
    for (const send of sends) send();
  };
  return async (send) =>
    await new Promise((resolve) => {
      if (gathered.push(() => resolve(Promise.try(send))) === 1) setImmediate(sendAll);
    });
}
