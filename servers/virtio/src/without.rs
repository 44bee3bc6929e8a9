//! A device that is not asked to do all that it offers.

use virtio_drivers::transport::{DeviceStatus, DeviceType, InterruptStatus, Transport};
use virtio_drivers::{PhysAddr, Result};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A transport that hides features: what is not offered is not accepted.
pub struct Without<T> {
    transport: T,
    hidden: u64,
}

impl<T> Without<T> {
    /// Hides the features whose bits are set in `hidden`.
    pub const fn new(transport: T, hidden: u64) -> Self {
        Self { transport, hidden }
    }
}

impl<T: Transport> Transport for Without<T> {
    fn read_device_features(&mut self) -> u64 {
        self.transport.read_device_features() & !self.hidden
    }

    fn device_type(&self) -> DeviceType {
        self.transport.device_type()
    }

    fn write_driver_features(&mut self, features: u64) {
        self.transport.write_driver_features(features);
    }

    fn max_queue_size(&mut self, queue: u16) -> u32 {
        self.transport.max_queue_size(queue)
    }

    fn notify(&mut self, queue: u16) {
        self.transport.notify(queue);
    }

    fn get_status(&self) -> DeviceStatus {
        self.transport.get_status()
    }

    fn set_status(&mut self, status: DeviceStatus) {
        self.transport.set_status(status);
    }

    fn set_guest_page_size(&mut self, size: u32) {
        self.transport.set_guest_page_size(size);
    }

    fn requires_legacy_layout(&self) -> bool {
        self.transport.requires_legacy_layout()
    }

    fn queue_set(
        &mut self,
        queue: u16,
        size: u32,
        descriptors: PhysAddr,
        driver_area: PhysAddr,
        device_area: PhysAddr,
    ) {
        self.transport
            .queue_set(queue, size, descriptors, driver_area, device_area);
    }

    fn queue_unset(&mut self, queue: u16) {
        self.transport.queue_unset(queue);
    }

    fn queue_used(&mut self, queue: u16) -> bool {
        self.transport.queue_used(queue)
    }

    fn ack_interrupt(&mut self) -> InterruptStatus {
        self.transport.ack_interrupt()
    }

    fn read_config_generation(&self) -> u32 {
        self.transport.read_config_generation()
    }

    fn read_config_space<V: FromBytes + IntoBytes>(&self, offset: usize) -> Result<V> {
        self.transport.read_config_space(offset)
    }

    fn write_config_space<V: IntoBytes + Immutable>(
        &mut self,
        offset: usize,
        value: V,
    ) -> Result<()> {
        self.transport.write_config_space(offset, value)
    }
}
