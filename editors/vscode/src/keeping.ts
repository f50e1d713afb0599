import { type CommandLine, isSame } from "./command";

/** A server that runs, and by which command line. */
export interface Running {
  readonly command: CommandLine;
  stop(): Promise<void>;
}

/** Which server is asked for, how one is started, undefined where it does not start, and that the old one is kept. */
export interface Ways {
  command(): CommandLine;
  start(command: CommandLine): Promise<Running | undefined>;
  kept(): void;
}

/** What can be done with a server; each deed waits for those before it. */
export interface Keeping {
  /** Start the server anew. */
  restart(): Promise<void>;
  /** Let the server be of the command line that is asked for now; one that runs stays until another has started. */
  follow(): Promise<void>;
  stop(): Promise<void>;
}

/** Keep one server. */
export function keeping(ways: Ways): Keeping {
  let running: Running | undefined;
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;

  function inTurn(deed: () => Promise<void>): Promise<void> {
    last = last.then(deed, deed);
    return last;
  }

  async function stop(): Promise<void> {
    const old = running;
    running = undefined;
    await old?.stop();
  }

  async function restart(): Promise<void> {
    await stop();
    running = await ways.start(ways.command());
  }

  async function follow(): Promise<void> {
    waiting = undefined;
    const command = ways.command();
    if (running && isSame(running.command, command)) {
      return;
    }
    const next = await ways.start(command);
    if (next) {
      await stop();
      running = next;
    } else if (running) {
      ways.kept();
    }
  }

  return {
    restart: () => inTurn(restart),
    follow: () => (waiting ??= inTurn(follow)),
    stop: () => inTurn(stop),
  };
}
