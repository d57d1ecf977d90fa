//! The host's own copy of a probe's memory: the required value of every byte at every step.

use std::collections::BTreeMap;

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::{
    Buffer, BufferKind, Check, FieldValues, Fill, Limits, Probe, RequiredValues, Shape,
    element::Layout,
    expression::{Expression, Scope},
};

/// Larger buffers are rejected: they would be sent to the worker as text.
const LARGEST: usize = 1 << 20;
/// A byte of an argument that means nothing.
const PADDING: u8 = 0xa5;
/// The smallest guard, in bytes.
const GUARD: usize = 128;

/// Returns the size in bytes of the guards on each side of a buffer, a multiple of the alignment of sub-buffers.
fn guard(limits: &Limits) -> usize {
    let alignment = limits.get("mem_base_addr_align").map_or(0, |&bits| bits as usize / 8);
    if alignment == 0 { GUARD } else { GUARD.next_multiple_of(alignment) }
}

/// One round of a probe: a shape, and what memory holds.
pub(super) struct Round<'p> {
    pub(super) probe: &'p Probe,
    pub(super) shape: &'p Shape,
    limits: &'p Limits,
    shape_index: usize,
    memory: BTreeMap<&'p str, Memory<'p>>,
    /// Answers to questions, by the names they were given.
    pub(super) named: BTreeMap<String, i128>,
}

struct Memory<'p> {
    layout: &'p Layout,
    length: usize,
    bytes: Vec<u8>,
    before: Vec<u8>,
    after: Vec<u8>,
}

impl<'p> Round<'p> {
    /// Starts the round of a shape: fills every buffer with its first contents.
    pub(super) fn new(probe: &'p Probe, shape: usize, limits: &'p Limits) -> Result<Self, String> {
        let mut round = Self {
            probe,
            shape: &probe.shapes[shape],
            limits,
            shape_index: shape,
            memory: BTreeMap::new(),
            named: BTreeMap::new(),
        };
        let guard = guard(limits);
        for (index, buffer) in probe.buffers.iter().enumerate() {
            let asked = buffer.length.value(&round)?;
            let length = usize::try_from(asked).ok().filter(|&length| length > 0);
            let size = length.and_then(|length| length.checked_mul(buffer.layout.size));
            let (Some(length), Some(size)) = (length, size.filter(|&size| size <= LARGEST)) else {
                return Err(format!("`{}` would have {asked} elements", buffer.name));
            };
            let mut rng = round.random(index, usize::MAX >> 40);
            let mut poison = |count: usize| {
                let mut bytes = vec![0; count];
                rng.fill_bytes(&mut bytes);
                bytes
            };
            let guard = match buffer.kind {
                BufferKind::Buffer | BufferKind::Shared => guard,
                BufferKind::Image(_) => 0,
            };
            let memory = Memory {
                layout: &buffer.layout,
                length,
                bytes: poison(size),
                before: poison(guard),
                after: poison(guard),
            };
            round.memory.insert(&buffer.name, memory);
        }
        // Computed values read random ones, so random buffers are filled first, whatever their names.
        let (computed, given): (Vec<_>, Vec<_>) =
            probe.buffers.iter().partition(|buffer| matches!(buffer.fill, Fill::Values(_)));
        for buffer in given.into_iter().chain(computed) {
            round.fill(&buffer.name, &buffer.fill, usize::MAX >> 41)?;
        }
        Ok(round)
    }

    /// Returns a generator of random values; each buffer, step and shape has a stream of its own.
    fn random(&self, buffer: usize, step: usize) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.probe.seed);
        rng.set_stream((self.shape_index as u64) << 48 | (buffer as u64) << 32 | step as u64);
        rng
    }

    fn buffer(&self, name: &str) -> Result<(usize, &'p Buffer), String> {
        let mut known = self.probe.buffers.iter().enumerate();
        known
            .find(|(_, buffer)| buffer.name == name)
            .ok_or_else(|| format!("`{name}` is not a buffer"))
    }

    /// Fills a buffer; `step` selects the stream of random values.
    pub(super) fn fill(&mut self, name: &str, fill: &Fill, step: usize) -> Result<(), String> {
        let (index, buffer) = self.buffer(name)?;
        let mut rng = self.random(index, step);
        let values = match fill {
            Fill::Poison => return Ok(()),
            Fill::Random => {
                let fields = || buffer.layout.fields.iter();
                let elements = 0..self.memory[name].length;
                elements
                    .flat_map(|_| {
                        fields().map(|field| field.scalar.random(&mut rng)).collect::<Vec<_>>()
                    })
                    .collect()
            }
            Fill::Values(expression) => self.values(buffer, expression)?,
            Fill::Listed(values) => values.clone(),
        };
        self.store(name, &values);
        Ok(())
    }

    /// Returns the value of an expression for every field of every element.
    fn values(&self, buffer: &Buffer, expression: &Expression) -> Result<Vec<i128>, String> {
        let mut values = Vec::new();
        for index in 0..self.memory[buffer.name.as_str()].length {
            for field in 0..buffer.layout.fields.len() {
                values.push(expression.value(&ElementScope { round: self, index, field })?);
            }
        }
        Ok(values)
    }

    /// Returns the value of an expression for the work-item `i`.
    pub(super) fn of_item(&self, item: usize, value: &Expression) -> Result<i128, String> {
        value.value(&ElementScope { round: self, index: item, field: 0 })
    }

    /// Returns the bytes of an object whose fields have these values.
    pub(super) fn object(&self, layout: &Layout, values: &FieldValues) -> Result<Vec<u8>, String> {
        let mut bytes = vec![PADDING; layout.size];
        for (field, number) in layout.fields.iter().zip(0..) {
            let value = match values {
                FieldValues::Each(value) => {
                    value.value(&ElementScope { round: self, index: 0, field: number })?
                }
                FieldValues::Listed(values) => values.get(number).copied().unwrap_or(0),
            };
            bytes[layout.range(0, field)].copy_from_slice(&field.scalar.bytes(value));
        }
        Ok(bytes)
    }

    fn store(&mut self, name: &str, values: &[i128]) {
        let Some(memory) = self.memory.get_mut(name) else { return };
        let fields = &memory.layout.fields;
        for (values, element) in values.chunks(fields.len()).zip(0..) {
            for (value, field) in values.iter().zip(fields) {
                let range = memory.layout.range(element, field);
                memory.bytes[range].copy_from_slice(&field.scalar.bytes(*value));
            }
        }
    }

    /// Stores the values that a check requires as the contents of the buffer from now on.
    pub(super) fn store_required(&mut self, check: &Check) -> Result<(), String> {
        let (_, buffer) = self.buffer(&check.buffer)?;
        let (equals, only) = match &check.seen {
            RequiredValues::Values { equals, only } => (equals, only),
            RequiredValues::Listed(values) => {
                self.store(&check.buffer, values);
                return Ok(());
            }
            RequiredValues::Recorded(_) => return Ok(()),
        };
        let chosen = match only {
            Some(condition) => self.values(buffer, condition)?,
            None => vec![1; self.memory[check.buffer.as_str()].length * buffer.layout.fields.len()],
        };
        let fields = buffer.layout.fields.len();
        let mut expected = Vec::new();
        for (position, &chosen) in chosen.iter().enumerate() {
            if chosen != 0 {
                let scope = ElementScope {
                    round: self,
                    index: position / fields,
                    field: position % fields,
                };
                expected.push((position, equals.value(&scope)?));
            }
        }
        if let Some(memory) = self.memory.get_mut(check.buffer.as_str()) {
            for (position, value) in expected {
                let field = &memory.layout.fields[position % fields];
                let range = memory.layout.range(position / fields, field);
                memory.bytes[range].copy_from_slice(&field.scalar.bytes(value));
            }
        }
        Ok(())
    }

    /// Stores the bytes that a device returned as the contents of the buffer from now on.
    pub(super) fn store_observed(&mut self, name: &str, seen: &[u8]) {
        if let Some(memory) = self.memory.get_mut(name)
            && seen.len() == memory.bytes.len()
        {
            memory.bytes.copy_from_slice(seen);
        }
    }

    /// Returns the contents of a buffer, without its guards.
    pub(super) fn contents(&self, name: &str) -> &[u8] {
        self.memory.get(name).map_or(&[], |memory| &memory.bytes)
    }

    /// Returns the contents of a buffer with the guards on both sides.
    pub(super) fn with_guards(&self, name: &str) -> Vec<u8> {
        self.memory.get(name).map_or(Vec::new(), |memory| {
            [memory.before.as_slice(), &memory.bytes, &memory.after].concat()
        })
    }

    /// Returns the layout of the elements of a buffer.
    pub(super) fn layout(&self, name: &str) -> Result<&'p Layout, String> {
        self.buffer(name).map(|(_, buffer)| &buffer.layout)
    }

    /// Returns the size in bytes of the guards on each side of a buffer.
    pub(super) fn guard(&self, name: &str) -> usize {
        self.memory.get(name).map_or(0, |memory| memory.before.len())
    }

    /// Returns the number of elements of a buffer.
    pub(super) fn length(&self, name: &str) -> usize {
        self.memory.get(name).map_or(0, |memory| memory.length)
    }

    fn groups(&self) -> usize {
        self.shape.group_count()
    }
}

fn within(value: i128, end: usize, what: &str) -> Result<usize, String> {
    let index = usize::try_from(value).ok().filter(|&index| index < end);
    index.ok_or_else(|| format!("{value} is not a {what}: there are {end}"))
}

impl Scope for Round<'_> {
    fn name(&self, name: &str) -> Option<i128> {
        let size = |value: usize| Some(value as i128);
        match name {
            "items" => size(self.shape.item_count()),
            "group_size" => size(self.shape.group_size()),
            "groups" => size(self.groups()),
            "round" => size(self.shape_index),
            name => self
                .named
                .get(name)
                .copied()
                .or_else(|| self.limits.get(name).map(|&value| i128::from(value))),
        }
    }

    fn element(&self, buffer: &str, index: i128, field: Option<i128>) -> Result<i128, String> {
        let memory =
            self.memory.get(buffer).ok_or_else(|| format!("`{buffer}` is not a buffer"))?;
        let index = within(index, memory.length, "element")?;
        let fields = &memory.layout.fields;
        let field = match field {
            Some(field) => within(field, fields.len(), "field")?,
            None => 0,
        };
        let bytes = &memory.bytes[memory.layout.range(index, &fields[field])];
        Ok(match fields[field].scalar.value(bytes) {
            super::element::Value::Integer(value) => value,
            super::element::Value::Floating(value) => value as i128,
        })
    }

    fn group_of(&self, item: i128) -> Result<i128, String> {
        let item = within(item, self.shape.item_count(), "work-item")?;
        Ok(self.shape.place_of(item).0 as i128)
    }

    fn local_of(&self, item: i128) -> Result<i128, String> {
        let item = within(item, self.shape.item_count(), "work-item")?;
        Ok(self.shape.place_of(item).1 as i128)
    }

    fn item_of(&self, group: i128, local: i128) -> Result<i128, String> {
        let group = within(group, self.groups(), "group")?;
        let local = within(local, self.shape.group_size(), "place in a group")?;
        within(self.shape.item_at(group, local) as i128, self.shape.item_count(), "work-item")
            .map(|item| item as i128)
    }
}

/// The scope of a value of one element: `i` is its index, `f` its field, and other buffers' elements are looked at
/// in the same field.
struct ElementScope<'r, 'p> {
    round: &'r Round<'p>,
    index: usize,
    field: usize,
}

impl Scope for ElementScope<'_, '_> {
    fn name(&self, name: &str) -> Option<i128> {
        match name {
            "i" => Some(self.index as i128),
            "f" => Some(self.field as i128),
            name => self.round.name(name),
        }
    }

    fn element(&self, buffer: &str, index: i128, field: Option<i128>) -> Result<i128, String> {
        let fields = self.round.memory.get(buffer).map_or(1, |memory| memory.layout.fields.len());
        // A buffer of scalars has no fields to choose from.
        let field = field.or_else(|| (fields > 1).then_some(self.field as i128));
        self.round.element(buffer, index, field)
    }

    fn group_of(&self, item: i128) -> Result<i128, String> {
        self.round.group_of(item)
    }

    fn local_of(&self, item: i128) -> Result<i128, String> {
        self.round.local_of(item)
    }

    fn item_of(&self, group: i128, local: i128) -> Result<i128, String> {
        self.round.item_of(group, local)
    }
}
