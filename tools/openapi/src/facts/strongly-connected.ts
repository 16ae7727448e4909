import type { FactChild, FactNode } from './fact-node.js';

interface Visit {
  readonly node: FactNode;
  readonly children: Iterator<FactChild, undefined>;
  readonly order: number;
  /** The lowest order of an open node that this one leads to. */
  lowest: number;
  isClosed: boolean;
}

/**
 * The strongly connected groups of everything that `root` leads to, each after all groups that it leads to
 * (Tarjan 1972); a value comes again for each place that leads to it. The call stack is explicit: a chain of
 * references may be longer than the real one is deep.
 */
export function* stronglyConnected(root: FactNode): Generator<FactNode[]> {
  const known = new Map<FactNode, Visit>();
  const open: Visit[] = [];
  const path: Visit[] = [enter(root)];
  for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
    const next = visit.children.next();
    if (next.done !== true) {
      const child = next.value.node;
      if (child.kind === 'value') yield [child];
      else follow(child, visit);
    } else {
      path.pop();
      lower(path.at(-1), visit.lowest);
      if (visit.lowest === visit.order) yield close(visit);
    }
  }

  function enter(node: FactNode): Visit {
    const order = known.size;
    const visit = { node, children: node.children.values(), order, lowest: order, isClosed: false };
    known.set(node, visit);
    open.push(visit);
    return visit;
  }

  function follow(child: FactNode, from: Visit): void {
    const visit = known.get(child);
    if (visit === undefined) path.push(enter(child));
    else if (!visit.isClosed) lower(from, visit.order);
  }

  function lower(visit: Visit | undefined, order: number): void {
    if (visit !== undefined && order < visit.lowest) visit.lowest = order;
  }

  function close(first: Visit): FactNode[] {
    const group = open.splice(open.lastIndexOf(first));
    return group.map((visit) => {
      visit.isClosed = true;
      return visit.node;
    });
  }
}
