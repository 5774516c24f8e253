// A transcription job whose end is told to a receiver of yours: node job-with-webhook.mjs RECORDING
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { asForm, Trunkline, verifyWebhook } from 'trunkline-client';

const { rest } = new Trunkline({ baseUrl: process.env.TRUNKLINE_URL, apiKey: process.env.TRUNKLINE_KEY });
const { secret } = await rest.postV1WebhooksSigningSecret();

const told = new Promise((resolve, reject) => {
  const receiver = createServer(async (request, response) => {
    const body = await buffer(request);
    const signature = request.headers['x-svc-signature'];
    await verifyWebhook({ body, signature, secret, eventId: request.headers['x-svc-event-id'] })
      .then(resolve)
      .then(() => response.writeHead(204).end())
      .catch(reject);
    receiver.close();
  });
  receiver.listen(0, '127.0.0.1', async () => {
    const webhook_url = `http://127.0.0.1:${receiver.address().port}/`;
    const file = new Blob([await readFile(process.argv[2])]);
    await rest.postV1TranscriptionJobs({ body: { file, webhook_url }, ...asForm }).catch(reject);
  });
});
const { type, data } = await told;
console.log(type);
const job = await rest.getV1TranscriptionJobsId({ path: { id: data.id } });
console.log(job.text);
