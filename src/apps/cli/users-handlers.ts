import { resetPage } from '../../foundation/access/index.ts';
import { COMMAND_LINE_ACTOR } from '../../foundation/audit/index.ts';
import type { CliContext } from './command.ts';
import { withCoreServices } from './core-services.ts';

/** Serves installations without mail and users without a working address. */
export const reset = (context: CliContext, email: string): Promise<void> =>
  withCoreServices(context, async ({ access }) => {
    const token = await access.passwords.issueFor(email, COMMAND_LINE_ACTOR);
    const { baseUrl, port } = context.config();
    context.error(`${email} can set a new password with this link, once and within 30 minutes:`);
    context.out(`${baseUrl ?? `http://127.0.0.1:${port}`}${resetPage(token)}`);
  });
