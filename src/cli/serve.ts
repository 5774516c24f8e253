import { openEngine } from '../main/engine.ts';
import type { Application } from '../main.ts';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { Models } from '../platform/models/index.ts';
import type { CliContext, RegisterCommand } from './command.ts';
import { Signals } from './signals.ts';

export const registerServe: RegisterCommand = (program, context) => {
  program
    .command('serve')
    .description('Serve every surface on one port until SIGTERM or SIGINT.')
    .action(async () => {
      context.exit(await serve(context));
    });
};

const FORCED_CODE = 1;
const LOOK_MS = 100;

async function serve(context: CliContext): Promise<number> {
  const config = context.config();
  const log = createLog({ level: config.logLevel });
  const signals = new Signals(log);
  // A fault that nobody waits for is one call's at most: the others go on.
  process.on('unhandledRejection', (err) => log.error({ err }, 'a fault that nobody handled'));
  // The engine's threads open the models while this one still reads the rest of the program.
  const engine = openEngine(config, new Models({ root: config.models }), log);
  const { createApplication } = await import('../main.ts');
  const application = await createApplication(config, log, engine);
  const address = await application.server.listen().catch(async (error: Error) => {
    context.error(`error: ${error.message}`);
    await application.stop(0);
    return null;
  });
  if (address === null) return FORCED_CODE;
  announceWhenReady(application, config.baseUrl ?? address, context);
  await signals.first();
  await application.stop();
  log.flush();
  // Whatever a library still holds open must not hold the process.
  setImmediate(() => process.exit(0));
  return 0;
}

/** One line for whoever started the server, once /readyz answers 200; before that, what is still missing. */
function announceWhenReady(application: Application, url: string, context: CliContext): void {
  let told = '';
  const look = async () => {
    const { ready, parts } = await application.server.readiness();
    if (ready) {
      context.out(`ready ${url}   try: curl -X POST ${url}/v1/sandbox/keys`);
      return;
    }
    const missing = parts.filter((part) => part.required && !part.ready);
    const text = missing.map((part) => `  ${part.name}: ${part.detail ?? 'not ready'}`).join('\n');
    if (text !== told) context.out(`serving ${url}, not ready yet:\n${text}`);
    told = text;
    systemClock.after(LOOK_MS, () => void look());
  };
  void look();
}
