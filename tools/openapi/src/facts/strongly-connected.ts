import type { FactChild, FactNode } from './fact-node.js';

interface Visit {
  readonly node: FactNode;
  readonly children: Iterator<FactChild, undefined>;
}

/**
 * The strongly connected groups of everything that `root` leads to, each after all groups that it leads to
 * (Tarjan 1972). The call stack is explicit: a chain of references may be longer than the real one is deep.
 */
export function* stronglyConnected(root: FactNode): Generator<FactNode[]> {
  const orders = new Map<FactNode, number>();
  const lowest = new Map<FactNode, number>();
  const open: FactNode[] = [];
  const visits: Visit[] = [enter(root)];
  for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
    const next = visit.children.next();
    if (next.done !== true) follow(next.value.node, visit.node);
    else {
      visits.pop();
      const above = visits.at(-1);
      if (above !== undefined) lower(above.node, lowest.get(visit.node) ?? 0);
      if (lowest.get(visit.node) === orders.get(visit.node)) yield close(visit.node);
    }
  }

  function enter(node: FactNode): Visit {
    orders.set(node, orders.size);
    lowest.set(node, orders.size - 1);
    open.push(node);
    return { node, children: node.children.values() };
  }

  function follow(child: FactNode, from: FactNode): void {
    const order = orders.get(child);
    if (order === undefined) visits.push(enter(child));
    // A node whose group is closed has no entry here any more.
    else if (lowest.has(child)) lower(from, order);
  }

  function lower(node: FactNode, order: number): void {
    if (order < (lowest.get(node) ?? 0)) lowest.set(node, order);
  }

  function close(first: FactNode): FactNode[] {
    const group = open.splice(open.lastIndexOf(first));
    for (const node of group) lowest.delete(node);
    return group;
  }
}
