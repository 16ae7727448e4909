/** Nest on Fastify with AuthGuard, which keeps deliveries as its arguments say. It has no limits. */
import 'reflect-metadata';
import { timingSafeEqual } from 'node:crypto';
import { Controller, Module, Post, Req, Res, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Strategy } from 'passport-http-bearer';
import { digest, type Keep, ready } from './peer.js';

const [accessToken = '', kind = '', place = ''] = process.argv.slice(2);
const accepted = digest(accessToken);
const keep = await open();

async function open(): Promise<Keep> {
  switch (kind) {
    case 'bullmq':
      return (await import('./keep-in-bullmq.js')).keepInBullmq(place);
    case 'pg-boss':
      return (await import('./keep-in-pg-boss.js')).keepInPgBoss(place);
    default:
      return (await import('./keep-in-sqlite.js')).keepInSqlite(place);
  }
}

class BearerStrategy extends PassportStrategy(Strategy) {
  validate(token: string): boolean {
    return timingSafeEqual(digest(token), accepted);
  }
}

@Controller('plant/webhook')
class PlantController {
  @Post()
  @UseGuards(AuthGuard('bearer'))
  async receive(@Req() { headers, body }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await keep({ mediaType: headers['content-type'], content: body as Buffer });
    reply.code(204).send();
  }
}

@Module({ controllers: [PlantController], providers: [BearerStrategy] })
class PlantModule {}

const adapter = new FastifyAdapter();
const app = await NestFactory.create<NestFastifyApplication>(PlantModule, adapter, {
  logger: false,
  bodyParser: false,
});
const fastify = adapter.getInstance();
fastify.removeAllContentTypeParsers();
fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
await app.listen(0, '127.0.0.1');
ready(app.getHttpServer());
